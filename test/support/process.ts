// Farebox as its users run it: a child process of its own, in a clean environment, on a folder that is removed again. What a
// test starts here ends with `endProcesses()`, which every test file that uses this calls after each test.

import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { adminClient, httpTransport, type AdminClient } from '#cli/client.ts'
import { FRUGAL } from '#hosts/frugal.ts'
import { builtProgram } from './built.ts'

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

export type Program = {
  readonly pid: number
  /** Everything it printed so far. */
  stdout(): string
  stderr(): string
  /** Resolves with its standard output once that matches; rejects when the program ends before. */
  printed(pattern: RegExp): Promise<string>
  kill(signal: NodeJS.Signals): void
  /** Resolves when it has ended and everything it printed has been read. */
  readonly exited: Promise<Exit>
}

export type FareboxProcess = Program & {
  readonly url: string
  readonly dataDir: string
  /** The first key, where this start made one. */
  readonly firstKey: string | undefined
  /** Its admin API over HTTP, with the token of the instance file. */
  readonly admin: AdminClient
  /** Ends it with SIGTERM and waits for that. */
  stop(): Promise<Exit>
}

export type ProcessOptions = {
  readonly dataDir: string
  readonly env?: Readonly<Record<string, string>>
  /** What it reads from standard input; nothing unless given. */
  readonly stdin?: string
  /** The program of another installation than this one. */
  readonly program?: string
  /** Another place to run in than here, such as a mount namespace. */
  readonly place?: Place
}

export type Place = {
  /** What runs a command there. */
  readonly command: readonly string[]
  /** Where its root folder is seen from here. */
  readonly root: string
}

export type StartOptions = ProcessOptions & {
  readonly port?: number
  /** The path of a farebox.yaml. */
  readonly config?: string
}

export type CommandResult = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** Built while the tests are loaded, where the time limit of none of them runs. */
const PROGRAM = builtProgram()
/** What has not used the processor for this long hangs: how long a start takes says more of the machine than of Farebox. */
const IDLE_LIMIT_MS = 60_000

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const running = new Set<Child>()
const folders = new Set<string>()

// The last resort, for a test run that is itself ended in the middle.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A folder that endProcesses() removes. Data folders belong inside it, where they do not exist yet. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-process-'))
  folders.add(folder)
  return folder
}

/** Ends whatever is still running, and removes the folders. */
export async function endProcesses(): Promise<void> {
  const ends = [...running].map((child) => new Promise((resolve) => child.once('close', resolve)))
  for (const child of running) child.kill('SIGKILL')
  await Promise.all(ends)
  // What a program left running may still write there.
  const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 } as const
  await Promise.all([...folders].map((folder) => rm(folder, options)))
  folders.clear()
}

/** Starts Farebox without a display and comes back when it listens. */
export async function startProcess(options: StartOptions): Promise<FareboxProcess> {
  const { dataDir, port = 0, config } = options
  const file = config === undefined ? [] : ['--config', config]
  const program = await launch(['start', '--headless', '--json', '--port', String(port), ...file], options)
  const limit = endWhenIdle(program)
  const line = await program.printed(/\n/).finally(() => clearInterval(limit))
  const { url, first_key: firstKey } = JSON.parse(line) as Readonly<Record<string, unknown>>
  if (typeof url !== 'string') throw new Error(`this is no ready line: ${line}`)
  const instance = JSON.parse(await readFile(join(options.place?.root ?? '', dataDir, 'instance.json'), 'utf8')) as {
    readonly token: string
  }
  return {
    ...program,
    url,
    dataDir,
    firstKey: typeof firstKey === 'string' ? firstKey : undefined,
    admin: adminClient(httpTransport({ url, token: instance.token })),
    stop() {
      program.kill('SIGTERM')
      return program.exited
    },
  }
}

/** Ends a start that does not go on. One that goes on for ever meets the limit of its test. */
function endWhenIdle(program: Program): NodeJS.Timeout {
  let used = processorTime(program.pid)
  let sinceMs = performance.now()
  return setInterval(() => {
    const now = processorTime(program.pid)
    if (now === used && performance.now() - sinceMs > IDLE_LIMIT_MS) program.kill('SIGKILL')
    if (now === used) return
    used = now
    sinceMs = performance.now()
  }, 1000)
}

/** In the system's own ticks; undefined where the system does not tell, and then a start has that limit in all. */
function processorTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // Behind the program's name, which may have spaces, user and system time are the 12th and 13th.
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .join()
  } catch {
    return undefined
  }
}

/** Runs one command of the command line to its end. */
export async function farebox(args: readonly string[], options: ProcessOptions): Promise<CommandResult> {
  const program = await launch(args, options)
  const { code } = await program.exited
  return { code, stdout: program.stdout(), stderr: program.stderr() }
}

/** What Node compiled of the program at one start spares the next one a third of its processor time. */
const COMPILED =
  process.env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }

/**
 * Starts the built program with these arguments and comes back at once. Nothing of this process's own settings reaches it but where
 * compiled code is kept.
 */
export async function launch(args: readonly string[], options: ProcessOptions): Promise<Program> {
  const home = dirname(options.dataDir)
  await mkdir(home, { recursive: true })
  // A gateway would put itself in its own place with these, which costs it a tenth of its start. That it does so is held by
  // `test/launch.test.ts`.
  const isFrugal = args[0] === 'start' && options.program === undefined
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    FAREBOX_SECRETS: 'vault',
    ...COMPILED,
    ...(isFrugal && FRUGAL.env),
    ...options.env,
  }
  const command = [
    ...(options.place?.command ?? []),
    process.execPath,
    ...(isFrugal ? FRUGAL.flags : []),
    options.program ?? PROGRAM,
    ...args,
    '--data-dir',
    options.dataDir,
  ]
  const child = spawn(command[0] ?? '', command.slice(1), { cwd: home, env })
  running.add(child)
  // A command that ends without reading closes the pipe, which is its good right.
  child.stdin.on('error', () => undefined)
  child.stdin.end(options.stdin)
  return programOf(child)
}

function programOf(child: Child): Program {
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => (output[name] += chunk))
  }
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      running.delete(child)
      resolve({ code, signal })
    })
  })
  return {
    pid: child.pid ?? 0,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    exited,
    kill: (signal) => void child.kill(signal),
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (pattern.test(output.stdout)) resolve(output.stdout)
        }
        child.stdout.on('data', look)
        look()
        exited.then(({ code, signal }) => {
          reject(new Error(`it ended (${code ?? signal}) before it printed ${String(pattern)}: ${output.stderr}`))
        }, reject)
      }),
  }
}
