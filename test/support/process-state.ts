// What a file of tests can change in its process, so that it can be said what one left behind.

import { ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { Socket } from 'node:net'

const BUILTINS =
  'child_process crypto dns dns/promises fs fs/promises http https net os timers timers/promises tls v8 worker_threads zlib'
const require = createRequire(import.meta.url)

/** Every object whose functions a test could replace, by name. */
const PARTS: readonly (readonly [string, object])[] = [
  ...BUILTINS.split(' ').map((name) => [`node:${name}`, require(`node:${name}`) as object] as const),
  ['globalThis', globalThis],
  ['process', process],
  ['process.stdout', process.stdout],
  ['process.stderr', process.stderr],
  ['console', console],
  ['JSON', JSON],
  ['Math', Math],
  ['Date', Date],
  ['Socket.prototype', Socket.prototype],
  ['ServerResponse.prototype', ServerResponse.prototype],
]

/** Replaced for good by whatever loads graceful-fs, as playwright-core does. They do what they did. */
const GRACEFUL = new Set(['node:fs.close', 'node:fs.closeSync', 'process.chdir', 'process.cwd'])

/** Variables of the runner, which changes them from file to file. */
const RUNNERS = /^VITEST/

/** Each thing by a name that a reader can look for, and what it is now. */
export type ProcessState = ReadonlyMap<string, unknown>

export function processState(): ProcessState {
  const functions = PARTS.flatMap(([part, object]) =>
    Object.entries(Object.getOwnPropertyDescriptors(object))
      .filter(([, { value }]) => typeof value === 'function')
      .map(([name, { value }]) => [`${part}.${name}`, value as unknown] as const)
      .filter(([name]) => !GRACEFUL.has(name)),
  )
  const variables = Object.entries(process.env).filter(([name]) => !RUNNERS.test(name))
  return new Map<string, unknown>([
    ...functions,
    ...variables.map(([name, value]) => [`the variable ${name}`, value] as const),
    ['the current folder', process.cwd()],
  ])
}

/** The names of what is there in only one of both, or is not the same. */
export function differences(before: ProcessState, after: ProcessState): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => before.get(name) !== after.get(name))
}
