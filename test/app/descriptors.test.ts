// Who gets how many file descriptors, and what happens where none is left: no guard throws.

import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { DescriptorWatch, descriptorLimit } from '#app/descriptors.ts'
import { lookAll } from '#app/guards.ts'
import { shareDescriptors } from '#core/descriptor-shares.ts'
import { OwnListener } from '#provider/own-listener.ts'
import { BodyWorker } from '#server/bodies/body-worker.ts'
import { MemoryGuard } from '#server/bodies/memory-guard.ts'
import { Tokenizer } from '#provider/tokenizer.ts'

const NONE_LEFT = Object.assign(new Error('no descriptor is left'), { code: 'EMFILE' })
const interfaces = vi.hoisted(() => ({ read: undefined as (() => never) | undefined }))
vi.mock('node:os', async (original) => {
  const os = await original<{ networkInterfaces: () => Record<string, never> }>()
  return { ...os, networkInterfaces: () => interfaces.read?.() ?? os.networkInterfaces() }
})

describe('the shares of a limit', () => {
  it('leave a quarter of it, or what Farebox itself needs, and each call its connection to a provider', () => {
    fc.assert(
      fc.property(fc.integer({ min: 128, max: 2_000_000 }), (limit) => {
        const { connections, webSockets, calls } = shareDescriptors(limit)
        const own = limit - connections - webSockets - calls
        expect(own).toBeGreaterThanOrEqual(Math.max(96, Math.min(256, limit / 4)))
        expect(connections).toBeGreaterThan(webSockets)
        expect(calls).toBeGreaterThanOrEqual(connections + webSockets)
        expect(connections).toBeLessThanOrEqual(4096)
      }),
    )
  })

  it('grow with the limit, and are as large as ever where it is high or there is none', () => {
    const sizes = [128, 256, 1024, 4096, 10_000, 16_384, 1_048_576].map((limit) => shareDescriptors(limit))
    expect(sizes.map(({ isLow }) => isLow)).toEqual([true, true, true, true, true, false, false])
    expect(sizes.at(2)).toMatchObject({ connections: 308, webSockets: 76, calls: 384 })
    expect(sizes.at(-2)).toMatchObject({ connections: 4096, webSockets: 1024, calls: 11_008 })
    expect(shareDescriptors(undefined)).toMatchObject({ connections: 4096, webSockets: 1024, isLow: false })
  })

  it.runIf(process.platform !== 'win32')('go by the limit of this process', () => {
    const { userLimits } = process.report.getReport() as { userLimits: { open_files: { soft: number } } }
    expect(descriptorLimit()).toBe(userLimits.open_files.soft)
  })
})

describe('where no descriptor is left', () => {
  function watched(open: () => void) {
    const scene = { nowMs: 0, shed: [] as number[], said: [] as string[] }
    const watch = new DescriptorWatch({
      limit: 1024,
      log: (line) => scene.said.push(line),
      monotonicMs: () => scene.nowMs,
      shed: (count) => scene.shed.push(count),
      open,
    })
    return { watch, scene }
  }

  it('idle connections make room each second, and it is said once a minute', () => {
    const { watch, scene } = watched(() => {
      throw NONE_LEFT
    })
    for (let second = 0; second < 90; second++) {
      scene.nowMs = second * 1000
      watch.look()
    }
    expect(scene.shed).toHaveLength(90)
    expect(scene.said).toHaveLength(2)
    expect(scene.said[0]).toMatch(/No file descriptor is left \(EMFILE, limit 1024\)\. Closed 1 idle/)
  })

  it('other errors of taking a connection close nothing', () => {
    const { watch, scene } = watched(() => undefined)
    watch.look()
    expect(scene.said).toEqual([])
    for (const error of [Object.assign(new Error('x'), { code: 'ECONNABORTED' }), new Error('x'), 'x']) {
      watch.failed(error)
    }
    expect(scene).toMatchObject({ shed: [], said: ['A connection could not be taken (ECONNABORTED).'] })
  })

  it('a look that fails does not keep the others from theirs', () => {
    const seen: unknown[] = []
    lookAll(
      [
        () => {
          throw NONE_LEFT
        },
        () => seen.push('next'),
      ],
      (error) => seen.push(error),
    )
    expect(seen).toEqual([NONE_LEFT, 'next'])
  })

  it('the memory guard goes by what it saw before', () => {
    const spy = vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => {
      throw NONE_LEFT
    })
    const guard = new MemoryGuard({ collect: () => expect.unreachable() })
    guard.look()
    expect(guard.isShort).toBe(false)
    expect(guard.refusal(1000)).toBeUndefined()
    spy.mockRestore()
  })

  it('a place is judged by the addresses that were last seen, and is taken for our own before', () => {
    const [one, other] = [new OwnListener(), new OwnListener()]
    for (const listener of [one, other]) listener.listensOn(8080)
    expect(one.isOwn('192.0.2.1', 8080)).toBe(false)
    interfaces.read = () => {
      throw NONE_LEFT
    }
    expect(one.isOwn('192.0.2.1', 8080)).toBe(false)
    expect(other.isOwn('192.0.2.1', 8080)).toBe(true)
    expect(other.isOwn('192.0.2.1', 8081)).toBe(false)
    interfaces.read = undefined
    expect(other.isOwn('192.0.2.1', 8080)).toBe(false)
  })

  it('a thread that cannot be started costs an estimate', async () => {
    const tokenizer = new Tokenizer({ script: new URL('https://example.com/no-thread.js') })
    expect(await tokenizer.count(['some words'])).toBeGreaterThan(0)
    await tokenizer.close()
    const worker = new BodyWorker({ script: new URL('https://example.com/no-thread.js') }, () => undefined)
    const job = { begin: () => expect.unreachable(), take: () => true }
    expect(await Promise.all([worker.run(job), worker.run(job)])).toEqual([false, false])
    await worker.close()
  })
})
