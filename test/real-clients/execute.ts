// Runs a program to its end, or to the end of our patience: then it goes with everything that it started.
import { spawn } from 'node:child_process'

export type Command = {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  readonly limitMs: number
}

export type Ended = {
  /** Null when it was ended. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly tookMs: number
  readonly timedOut: boolean
}

export async function execute({ command, args, env, folder, limitMs }: Command): Promise<Ended> {
  const startedAtMs = Date.now()
  // A group of its own, so that the tools which it started can be ended with it.
  const child = spawn(command, [...args], { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text))
  }
  let timedOut = false
  const end = () => endGroup(child.pid)
  const limit = setTimeout(() => {
    timedOut = true
    end()
  }, limitMs)
  process.once('exit', end)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    return { ...output, code, timedOut, tookMs: Date.now() - startedAtMs }
  } finally {
    clearTimeout(limit)
    process.off('exit', end)
    end()
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of the group is left, which is what was wanted.
  }
}
