// Starts, watches and ends the processes of the benchmark. None may outlive it.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

export type Child = {
  readonly url: string
  /** The process started and, should that only be a launcher, the one that listens. */
  readonly pids: readonly number[]
  readonly readyMs: number
  /** Resolves when it has ended; throws if it did not end cleanly. */
  stop(): Promise<void>
}

export type Command = {
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  /** How long a start may take; 20 s unless given. */
  readonly readyLimitMs?: number | undefined
}

const READY_LIMIT_MS = 20_000
const STOP_LIMIT_MS = 15_000
const STDERR_KEPT = 4000

/** Runs a Node program until its first line on stdout, which must say where it listens. */
export async function startChild(command: Command): Promise<Child> {
  const startedAtMs = performance.now()
  const { child, stderr } = launch(command)
  const { pid } = child
  if (pid === undefined) throw new Error(`cannot start node ${command.args.join(' ')}`)
  try {
    const ready = readyLine(await firstLine(child, command.readyLimitMs ?? READY_LIMIT_MS))
    const readyMs = performance.now() - startedAtMs
    const pids = [...new Set([pid, ready.pid ?? pid])]
    return { url: ready.url, pids, readyMs, stop: () => stop(child, { name: command.args.join(' '), stderr }) }
  } catch (cause) {
    child.kill('SIGKILL')
    throw new Error(`node ${command.args.join(' ')} did not become ready: ${stderr() || String(cause)}`, { cause })
  }
}

/** Runs a Node program to its end and gives what it printed; throws when it failed. */
export async function runToEnd(command: Command): Promise<string> {
  const { child, stderr } = launch(command)
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`node ${command.args.join(' ')} ended with ${code}: ${stderr() || output}`)
  return output
}

function launch({ args, cwd, env }: Command): { child: ChildProcess; stderr: () => string } {
  const options = { ...(cwd === undefined ? {} : { cwd }), env: env ?? process.env }
  const child = spawn(process.execPath, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
  const endWithUs = () => void child.kill('SIGKILL')
  process.once('exit', endWithUs)
  child.once('exit', () => process.off('exit', endWithUs))
  let kept = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (kept = (kept + text).slice(-STDERR_KEPT)))
  return { child, stderr: () => kept }
}

async function firstLine(child: ChildProcess, limitMs: number): Promise<string> {
  if (child.stdout === null) throw new Error('no standard output')
  const lines = createInterface({ input: child.stdout })
  const waiting = AbortSignal.timeout(limitMs)
  const [line] = (await Promise.race([
    once(lines, 'line', { signal: waiting }),
    once(child, 'exit', { signal: waiting }).then(([code]) => {
      throw new Error(`it ended with ${code}`)
    }),
  ])) as [string]
  return line
}

function readyLine(line: string): { url: string; pid?: number } {
  const ready = JSON.parse(line) as { event?: unknown; url?: unknown; pid?: unknown }
  if (ready.event !== 'listening' || typeof ready.url !== 'string') throw new Error(`unexpected first line: ${line}`)
  return { url: ready.url, ...(typeof ready.pid === 'number' ? { pid: ready.pid } : {}) }
}

async function stop(child: ChildProcess, { name, stderr }: { name: string; stderr: () => string }): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    throw new Error(`node ${name} ended by itself with ${child.exitCode ?? child.signalCode}: ${stderr()}`)
  }
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>
  child.kill('SIGTERM')
  const result = await Promise.race([ended, sleep(STOP_LIMIT_MS, undefined, { ref: false })])
  if (result === undefined) {
    child.kill('SIGKILL')
    throw new Error(`node ${name} did not end within ${STOP_LIMIT_MS} ms of SIGTERM`)
  }
  if (result[0] !== 0) throw new Error(`node ${name} ended with ${result[0] ?? result[1]}: ${stderr()}`)
}
