// What the servers themselves do wrong, or cannot do, in words for the table. An entry stands for failures whose reason it matches;
// every other failure is ours until somebody has shown that it is not.

import type { AskedFormat } from './asking.ts'
import type { Dialect } from './lab.ts'

export type Failure = {
  /** With its version. */
  readonly server: string
  readonly dialect: Dialect
  readonly format?: AskedFormat
  /** The column. */
  readonly column: string
  readonly stream?: boolean
  readonly reason: string
}

export type ServerFault = {
  readonly server: RegExp
  readonly dialect?: Dialect
  readonly columns: readonly string[]
  readonly reason: RegExp
  readonly words: string
}

/** A failure of a check that is the same in each format and way that it names. */
const everywhere = (sentence: string) => new RegExp(`^(?:\\w+, \\w+: ${sentence}[^;]*(?:; |$))+$`)

const NO_SCHEMA = everywhere('the answer is not of the schema')

const FAULTS: readonly ServerFault[] = [
  {
    server: /^llama-server/,
    dialect: 'messages',
    columns: ['JSON schema'],
    reason: NO_SCHEMA,
    words: 'llama-server passes over `output_config.format` of messages and answers in prose',
  },
  {
    server: /^(llama-server|LiteLLM)/,
    dialect: 'responses',
    columns: ['JSON schema'],
    reason: NO_SCHEMA,
    words: 'llama-server passes over `text.format` of responses and answers in prose; LiteLLM hands it on',
  },
  {
    server: /^LiteLLM/,
    dialect: 'messages',
    columns: ['JSON schema'],
    reason: NO_SCHEMA,
    words: 'LiteLLM asks for messages as responses, where llama-server passes over `text.format`',
  },
  {
    server: /^LiteLLM/,
    dialect: 'messages',
    columns: ['reasoning'],
    reason: /^the reasoning was lost$/,
    words: 'LiteLLM asks for messages as responses, and leaves the reasoning out of its answer',
  },
]

/** What the server does wrong, in words; undefined where the fault is not known to be its own. */
export function faultOfServer({ server, dialect, column, reason }: Failure): string | undefined {
  return FAULTS.find(
    (fault) =>
      fault.server.test(server) &&
      (fault.dialect === undefined || fault.dialect === dialect) &&
      fault.columns.includes(column) &&
      fault.reason.test(reason),
  )?.words
}
