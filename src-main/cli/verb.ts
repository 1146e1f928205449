// What a verb is made of. Each verb's file says what it takes and does; run.ts does what all of them need.

import type { AdminClient } from '#cli/client.ts'
import { UsageError } from '#cli/errors.ts'
import { flagValues, sortWords, text, toggle, type FlagTable, type FlagValues } from '#cli/flags.ts'
import type { Sources } from '#cli/host.ts'
import type { Output } from '#cli/output.ts'

/** Flags that every verb takes. */
const COMMON_FLAGS = { json: toggle, data_dir: text, help: { ...toggle, short: 'h' } } satisfies FlagTable

type Definition<Table extends FlagTable> = {
  /** One to three words, such as `key create`. */
  readonly name: string
  /** What follows the name, as help shows it. */
  readonly usage: string
  readonly summary: string
  /** What the verb's only operand is called; absent for none. */
  readonly operand?: 'NAME' | 'ID' | 'FILE' | 'TOOL' | 'PROVIDER' | 'DATABASE'
  readonly isOperandOptional?: true
  /** What stands behind `--` is for another program. */
  readonly hasArguments?: true
  readonly flags: Table
  /** The answer when no gateway runs, for a verb that must not open the store itself. */
  readonly whenStopped?: Output
  readonly run: (client: AdminClient, args: VerbArguments<Table>) => Promise<Output>
}

export type VerbArguments<Table extends FlagTable> = {
  /** The operand; empty for a verb that takes none. */
  readonly name: string
  readonly flags: FlagValues<Table>
  /** What stands behind `--`, for a verb that takes it. */
  readonly rest: readonly string[]
  readonly sources: Sources
}

export type PreparedVerb = {
  readonly common: FlagValues<typeof COMMON_FLAGS>
  readonly run: (client: AdminClient, sources: Sources) => Promise<Output>
}

export type Verb = Pick<Definition<FlagTable>, 'name' | 'usage' | 'summary' | 'whenStopped'> & {
  /** Reads the words after the name. Throws a UsageError. */
  readonly prepare: (words: readonly string[]) => PreparedVerb
}

export function verb<const Table extends FlagTable>(definition: Definition<Table>): Verb {
  return {
    ...definition,
    prepare(words) {
      const end = definition.hasArguments === true ? words.indexOf('--') : -1
      const own = end === -1 ? words : words.slice(0, end)
      const rest = end === -1 ? [] : words.slice(end + 1)
      const sorted = sortWords(own, { ...COMMON_FLAGS, ...definition.flags })
      const common = flagValues(sorted, COMMON_FLAGS)
      if (common.help !== true) checkOperands(sorted.operands, definition)
      const [name = ''] = sorted.operands
      const flags = flagValues(sorted, definition.flags)
      return { common, run: (client, sources) => definition.run(client, { name, flags, rest, sources }) }
    },
  }
}

/** Operands are not repeated in the message: one too many may be a secret. */
function checkOperands(
  operands: readonly string[],
  { name, operand, isOperandOptional }: Pick<Definition<FlagTable>, 'name' | 'operand' | 'isOperandOptional'>,
) {
  const expected = operand === undefined ? 0 : 1
  if (operands.length > expected) {
    const takes = operand === undefined ? 'nothing but flags' : `one ${operand}, and flags`
    throw new UsageError(`'${name}' takes ${takes}.`)
  }
  if (operands.length === 0 && isOperandOptional === true) return
  if (operands.length < expected || operands[0] === '') throw new UsageError(`'${name}' needs a ${operand}.`)
}
