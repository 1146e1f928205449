// Words after a verb to typed values. Flags are named like the fields that they set, `--requests-per-minute` for
// `requests_per_minute`, and the contract's schemas decide what values are right.

import { parseArgs } from 'node:util'
import { UsageError } from '#cli/errors.ts'

/** How the words given for a flag become its value; `name` is for the sentence when they cannot. */
export type Flag<Value> = {
  readonly type: 'string' | 'boolean'
  readonly isRepeatable?: boolean
  readonly short?: string
  readonly read: (texts: readonly string[], name: string) => Value
}

/** Flags by the name of the field that each sets. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>
export type FlagValues<Table extends FlagTable> = {
  readonly [Name in keyof Table]?: Table[Name] extends Flag<infer Value> ? Value : never
}

export const text: Flag<string> = { type: 'string', read: ([only = '']) => only }
/** `none` takes away what there is. */
export const textOrNone: Flag<string | null> = {
  type: 'string',
  read: ([only = '']) => (only === 'none' ? null : only),
}
export const toggle: Flag<boolean> = { type: 'boolean', read: () => true }
export const number: Flag<number> = { type: 'string', read: ([only = ''], name) => numberOf(only, name) }
export const numberOrNone: Flag<number | null> = {
  type: 'string',
  read: ([only = ''], name) => (only === 'none' ? null : numberOf(only, name)),
}
/** A whole number as the text that a query takes. */
export function countUpTo(most: number): Flag<string> {
  return {
    type: 'string',
    read: ([only = ''], name) => {
      const isCount = /^[0-9]{1,9}$/.test(only) && Number(only) >= 1 && Number(only) <= most
      if (!isCount) throw new UsageError(`${name} takes a whole number from 1 to ${most}.`)
      return String(Number(only))
    },
  }
}
/** `all`, or names with commas between them. */
export const allOrList: Flag<'all' | string[]> = {
  type: 'string',
  read: ([only = ''], name) => (only === 'all' ? 'all' : namesIn(only, `${name} takes all, or`)),
}
/** Names with commas between them; `none` for no name. */
export const listOrNone: Flag<string[]> = {
  type: 'string',
  read: ([only = ''], name) => (only === 'none' ? [] : namesIn(only, `${name} takes none, or`)),
}

function namesIn(text: string, otherwise: string): string[] {
  const names = text.split(',').map((part) => part.trim())
  if (names.includes('')) throw new UsageError(`${otherwise} names with commas between them.`)
  return names
}

/** What was typed after a verb, sorted: the operands in order, and the texts given for each flag. */
export type Words = { readonly operands: readonly string[]; readonly given: ReadonlyMap<string, readonly string[]> }

/** Sorts words by a table of flags. Throws a UsageError that never repeats a value: it may be a secret. */
export function sortWords(words: readonly string[], table: FlagTable): Words {
  const options = optionsOf(table)
  const { tokens } = parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true })
  const operands: string[] = []
  const given = new Map<string, string[]>()
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value)
    if (token.kind !== 'option') continue
    if (!Object.hasOwn(options, token.name)) throw unknownFlag(token.name, token.rawName)
    const texts = given.get(token.name) ?? []
    given.set(token.name, [...texts, optionText(token, options[token.name]?.type)])
  }
  return { operands, given }
}

/** The values of the flags in a table; those that were not given are absent. */
export function flagValues<Table extends FlagTable>({ given }: Words, table: Table): FlagValues<Table> {
  const values: Record<string, unknown> = {}
  for (const [field, { type, isRepeatable, read }] of Object.entries(table)) {
    const texts = given.get(dashed(field))
    if (texts === undefined) continue
    const name = flagName(field)
    if (type === 'string' && texts.length > 1 && isRepeatable !== true) throw new UsageError(`${name} is given twice.`)
    values[field] = read(texts, name)
  }
  // Each value was made by the flag of its own name, which the type of a loop over them cannot say.
  return values as FlagValues<Table>
}

/** `requests_per_minute` as it is typed: `--requests-per-minute`. */
export function flagName(field: string): string {
  return `--${dashed(field)}`
}

function dashed(field: string): string {
  return field.replaceAll('_', '-')
}

type Option = { type: 'string' | 'boolean'; short?: string }

function optionsOf(table: FlagTable): Record<string, Option> {
  return Object.fromEntries(
    Object.entries(table).map(([field, { type, short }]): [string, Option] => {
      return [dashed(field), short === undefined ? { type } : { type, short }]
    }),
  )
}

type OptionToken = {
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

function optionText({ rawName, value, inlineValue }: OptionToken, type: Option['type'] | undefined): string {
  if (type === 'boolean') {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`)
    return ''
  }
  // The next flag is not this flag's value, although a parser may take it for one.
  const isMissing = value === undefined || value === '' || (inlineValue !== true && value.startsWith('--'))
  if (isMissing) throw new UsageError(`${rawName} needs a value.`)
  return value
}

function unknownFlag(name: string, rawName: string): UsageError {
  if (name !== 'secret' && name !== 'password') return new UsageError(`There is no flag ${rawName} here.`)
  return new UsageError(
    `A ${name} is never an argument, because other programs and the history of the shell would see it. ` +
      `Use --${name}-env VAR, --${name}-file PATH or --${name}-stdin.`,
  )
}

function numberOf(text: string, name: string): number {
  // Number() alone would also take an empty text, hexadecimal digits and Infinity.
  if (!/^-?[0-9]+(\.[0-9]+)?$/.test(text)) throw new UsageError(`${name} takes a number.`)
  return Number(text)
}
