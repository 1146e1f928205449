// One call of a program: what it is asked, where it runs, and how its output is read.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NO_NETWORK } from './alone.ts'
import type { Installed, ProgramName } from './install.ts'
import { execute, type Ended } from './execute.ts'
import type { Route } from './routes.ts'

export type Task = {
  readonly prompt: string
  /** The gateway's address, without `/v1`. */
  readonly url: string
  readonly key: string
  readonly model: string
  /** An empty folder: the program's home and its working folder are made in it. */
  readonly folder: string
  readonly limitMs?: number
  /** Variables beside its own, such as what it trusts. */
  readonly env?: Readonly<Record<string, string>>
}

export type Outcome = Ended & {
  /** What the program gives out as the model's answer. */
  readonly answer: string
  /** The program says that it did what it was asked. */
  readonly succeeded: boolean
}

export type Program = {
  readonly name: string
  /** Where the provider gets back what sealed its reasoning. */
  readonly seals: readonly Route[]
  run(installed: Installed, task: Task): Promise<Outcome>
}

type Setup = {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** All of them but the dialect that has no seal. */
export const SEALING: readonly Route[] = ['alone', 'messages', 'responses', 'gemini']

const LIMIT_MS = 60_000

/** Runs a program in an empty home, with nothing of this process's own settings. */
export async function call(installed: Installed, name: ProgramName, task: Task, { args, env }: Setup): Promise<Ended> {
  const home = join(task.folder, 'home')
  const work = join(task.folder, 'work')
  const temporary = join(task.folder, 'tmp')
  for (const folder of [home, work, temporary]) await mkdir(folder, { recursive: true })
  const path = [process.execPath.replace(/[^/]+$/, ''), process.env.PATH ?? ''].join(':')
  const surroundings = { PATH: path, HOME: home, TMPDIR: temporary, SHELL: '/bin/sh', TERM: 'dumb', ...NO_NETWORK }
  return execute({
    command: installed.command(name),
    args,
    env: { ...surroundings, ...env, ...task.env },
    folder: work,
    limitMs: task.limitMs ?? LIMIT_MS,
  })
}

export async function folderWith(folder: string, file: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, file), text)
}

type JsonObject = Readonly<Record<string, unknown>>

/** The lines that are JSON objects; programs print other lines between them. */
export function objectsOf(output: string): JsonObject[] {
  return output.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line)
      return isObject(value) ? [value] : []
    } catch {
      return []
    }
  })
}

/** An object that takes the rest of the output, from the first line that begins with a brace. */
export function wholeObject(output: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(output.slice(output.search(/^\{/m)))
    return isObject(value) ? value : undefined
  } catch {
    // It ended before it could say how.
    return undefined
  }
}

export function lastObject(output: string): JsonObject | undefined {
  return objectsOf(output).at(-1)
}

export function textsOf(objects: readonly JsonObject[]): string {
  return objects.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n')
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
