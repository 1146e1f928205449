// The way in from npm and the command line. Plain JavaScript that every Node since 14 can read, and no import at the top:
// on a Node that cannot run Farebox it has to live long enough to say so.

// A rejection is a fault: Node prints its stack and ends with an error code.
void main(process.argv.slice(2))

function main(argv) {
  // The end of an installation, which must not fail. What it leaves for later starts is code, for everybody who may start it.
  const isNewEnough = isNodeNewEnough(process.versions.node)
  if (argv[0] === '--prepare') return isNewEnough ? fillCompileCache() : undefined
  if (!isNewEnough) {
    process.stderr.write(
      'Farebox needs Node 22.18 or later, and this is Node ' +
        process.versions.node +
        ': `npm ci` brings Node 24 and `npm start` uses it, so run Farebox through npm.\n',
    )
    process.exitCode = 1
    return undefined
  }
  // Whatever is written is for this user only: also what libraries write, and in a folder that others may look into.
  process.umask(0o077)
  if (argv[0] === '--warm-up') return warmUp()
  if (argv[0] !== 'start') return runCommand(argv)
  return argv.includes('--help') || argv.includes('-h') ? runCommand(['help']) : start(argv.slice(1))
}

/** Node runs TypeScript as it is from 22.18 on, and in the 23 line from 23.6 on. */
function isNodeNewEnough(version) {
  const parts = version.split('.').map(Number)
  const major = parts[0]
  const minor = parts[1]
  if (major === 22) return minor >= 18
  if (major === 23) return minor >= 6
  return major > 23
}

async function start(argv) {
  useFrugalAllocator()
  await useCompileCache()
  const why = await startDesktop(argv)
  if (why === null) return
  const headless = await import('./hosts/headless.ts')
  await headless.startHeadless(argv, why)
}

/**
 * Puts this program in its own place once more, in the same process, with an allocator that gives back what it does not need: that of
 * Linux reads its settings when a process begins. Settings that are there already stay.
 */
function useFrugalAllocator() {
  const { env, execArgv, execPath, platform } = process
  // A channel to whoever started this process would not survive it.
  if (platform !== 'linux' || env.MALLOC_ARENA_MAX !== undefined || process.connected || !process.execve) return
  // Two arenas instead of eight for each processor, and blocks from 128 KiB on go back to the system as soon as they are free.
  const frugal = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' }
  process.execve(execPath, [execPath, ...execArgv, ...process.argv.slice(1)], { ...env, ...frugal })
}

/** Runs the tray app to its end and returns null; where that cannot be, returns why, or undefined where it was not wanted. */
async function startDesktop(argv) {
  const { chooseHost } = await import('./hosts/desktop-choice.ts')
  const { env, platform } = process
  const choice = chooseHost({ argv, env, platform, isRoot: process.getuid?.() === 0 })
  if (choice.type === 'headless') return choice.why
  const { findRuntime, runDesktop } = await import('./hosts/desktop-runtime.ts')
  const runtime = await findRuntime({ env, print: (line) => void process.stderr.write(line + '\n') })
  if (runtime.type === 'unavailable') return runtime.why
  process.exitCode = await runDesktop(runtime.program, argv)
  return null
}

/** Compiles what was not compiled yet, and uses it. */
async function useCompileCache() {
  await fillCompileCache()
  const { useCodeCache } = await import('./code-cache.mjs')
  useCodeCache(process.env)
}

async function fillCompileCache() {
  const { fillCodeCache } = await import('./code-cache.mjs')
  await fillCodeCache(process.env)
}

/** What fills the cache, as a process of its own. */
async function warmUp() {
  const { useCodeCache } = await import('./code-cache.mjs')
  useCodeCache(process.env)
  await import('./warm-up.ts')
}

/** Without a verb the command line prints its help. */
async function runCommand(argv) {
  await useCompileCache()
  const command = await import('./hosts/command.ts')
  process.exitCode = await command.main(argv)
}
