// What Node and the system's allocator only read when a process begins (docs/decisions/0041-one-build.md): space for new objects of 8 MiB
// twice instead of a share of the machine, two arenas instead of eight for each processor, and blocks from 128 KiB on that go back to the
// system as soon as they are free.

export const SPACE_FLAG = '--max-semi-space-size'

export const FRUGAL = {
  flags: [`${SPACE_FLAG}=8`],
  env: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' },
} as const
