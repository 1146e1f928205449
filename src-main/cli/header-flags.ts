// The headers of a provider as flags: values that may be seen are typed, secret ones are read from where they are, as its secret is.

import { UsageError } from '#cli/errors.ts'
import { text, type Flag, type FlagTable, type FlagValues } from '#cli/flags.ts'
import type { Sources } from '#cli/host.ts'
import { secretFromOne } from '#cli/secret-source.ts'

type Pairs = Readonly<Record<string, string>>

/** `NAME=VALUE`, several times; the value may have further equals signs. A message repeats nothing of it, which may be a secret. */
const pairs: Flag<Pairs> = {
  type: 'string',
  isRepeatable: true,
  read: (texts, name) => {
    const read = new Map<string, string>()
    for (const one of texts) {
      const sign = one.indexOf('=')
      if (sign < 1 || sign === one.length - 1) throw new UsageError(`${name} takes NAME=VALUE.`)
      const header = one.slice(0, sign).toLowerCase()
      if (read.has(header)) throw new UsageError(`${name} names a header twice.`)
      read.set(header, one.slice(sign + 1))
    }
    return Object.fromEntries(read)
  },
}
/** The same, or `none` for no headers at all. */
const pairsOrNone: Flag<Pairs> = {
  ...pairs,
  read: (texts, name) => (texts.length === 1 && texts[0] === 'none' ? {} : pairs.read(texts, name)),
}
const names: Flag<readonly string[]> = { type: 'string', isRepeatable: true, read: (texts) => texts }

const SECRET_VALUES = { header_env: pairs, header_file: pairs, header_stdin: text } satisfies FlagTable
export const HEADER_FLAGS = { header: pairs, ...SECRET_VALUES } satisfies FlagTable
export const HEADER_EDIT_FLAGS = { header: pairsOrNone, forget_header: names, ...SECRET_VALUES } satisfies FlagTable
export const HEADER_USAGE =
  '--header NAME=VALUE … | --header-env NAME=VAR … | --header-file NAME=PATH … | --header-stdin NAME'

/** The secret values of headers by their names; undefined where none is named. `isStdinTaken`: something else is read from there. */
export async function headerSecretsOf(
  flags: FlagValues<typeof SECRET_VALUES>,
  sources: Sources,
  isStdinTaken: boolean | undefined,
): Promise<Pairs | undefined> {
  const { header_env: envs = {}, header_file: files = {}, header_stdin: stdin } = flags
  if (stdin !== undefined && isStdinTaken === true) {
    throw new UsageError('Standard input has one secret: give only one of --secret-stdin and --header-stdin.')
  }
  const places = [
    ...Object.entries(envs).map(([name, env]) => ({ name, env, file: undefined, isStdin: undefined })),
    ...Object.entries(files).map(([name, file]) => ({ name, env: undefined, file, isStdin: undefined })),
    ...(stdin === undefined ? [] : [{ name: stdin.toLowerCase(), env: undefined, file: undefined, isStdin: true }]),
  ]
  if (places.length === 0) return undefined
  const read = new Map<string, string>()
  for (const { name, ...place } of places) {
    if (read.has(name)) throw new UsageError('A header can have its value from one place only.')
    read.set(name, (await secretFromOne({ ...place, what: 'secret' }, sources)) ?? '')
  }
  return Object.fromEntries(read)
}
