// How many bytes of objects a call costs the main thread of a process.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from './child.ts'

/** Starts a process with these options of Node and variables of its environment. */
export type StartCounted = (nodeOptions: readonly string[], env: Readonly<Record<string, string>>) => Promise<Child>

type Task = {
  readonly warmUp: (url: string) => Promise<void>
  readonly work: (url: string) => Promise<void>
  readonly units: number
}

const COUNTING = ['--import', new URL('allocated.mjs', import.meta.url).href]
const PATIENCE_MS = 10_000

/** Bytes for each unit of the work; `warmUp` comes before it, on the same process. */
export async function allocatedBytes(start: StartCounted, { warmUp, work, units }: Task): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-allocated-'))
  const file = join(folder, 'bytes')
  const child = await start(COUNTING, { ALLOCATED_FILE: file })
  try {
    await warmUp(child.url)
    await toggle(child, file, (text) => text === 'counting')
    await work(child.url)
    return Number(await toggle(child, file, (text) => text !== 'counting')) / units
  } finally {
    await child.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Both the process that was started and the one that listens are told; the one that counts answers. */
async function toggle({ pids }: Child, file: string, isAnswer: (text: string) => boolean): Promise<string> {
  const [listening] = pids.slice(-1)
  if (listening === undefined) throw new Error('there is no process to count in')
  process.kill(listening, 'SIGUSR2')
  const lastMs = performance.now() + PATIENCE_MS
  while (performance.now() < lastMs) {
    const text = readIfThere(file)
    if (text !== undefined && isAnswer(text)) return text
    await sleep(20)
  }
  throw new Error('the process did not say what it allocated')
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
