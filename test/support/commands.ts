// Commands of the command line in this process, for what tests do on the way: a process of its own costs half a second of a processor, and only
// what a test is about needs one. A gateway has to run on the data folder.

import { expect } from 'vitest'
import { runCommand } from '#cli/run.ts'
import { commandHost } from '#hosts/command.ts'
import type { CommandResult } from './process.ts'

export type CommandPlace = {
  /** Where tools have their settings, and where commands are typed. */
  readonly homeDir: string
  readonly dataDir: string
  /** All that a command sees of it. */
  readonly env?: Readonly<Record<string, string>>
}

export async function runHere(args: readonly string[], place: CommandPlace): Promise<CommandResult> {
  const { homeDir, dataDir, env = {} } = place
  const printed = { stdout: '', stderr: '' }
  const host = {
    ...commandHost(() => Promise.reject(new Error('No gateway runs.'))),
    env,
    homeDir,
    workingDir: homeDir,
    dataDir: () => dataDir,
    stdout: (text: string) => void (printed.stdout += text),
    stderr: (text: string) => void (printed.stderr += text),
  }
  return { code: await runCommand([...args], host), ...printed }
}

/** A command that has to go well. Returns what it printed as JSON, and undefined where it printed nothing. */
export async function doneHere(args: readonly string[], place: CommandPlace): Promise<unknown> {
  const { code, stdout, stderr } = await runHere([...args, '--json'], place)
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' })
  return stdout === '' ? undefined : JSON.parse(stdout)
}
