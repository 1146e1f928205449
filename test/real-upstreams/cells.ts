// The table: each client format at each dialect of a server, whole and streamed, with a text, a tool call, reasoning, and an input
// that is too long. A cell fails with a sentence that says what was wrong.

import { isRecord } from '#dialect/request-body.ts'
import { foldStream, foldWhole, type Seen } from '../matrix/fold.ts'
import { readLeniently, type Reading, type ReadUsage } from '../support/lenient-reader.ts'
import { body, PATHS, type Wish, type AskedFormat } from './asking.ts'
import { ask, chargeOf, errorOf, onlyExchange, type Answer, type Dialect, type Lab, type Receipt } from './lab.ts'
import { CONTEXT_TOKENS, type ChatModel } from './servers.ts'

export const CASES = ['text', 'tools', 'reasoning', 'overflow'] as const
export type Case = (typeof CASES)[number]

export type CellPlace = {
  readonly dialect: Dialect
  readonly format: AskedFormat
  readonly case: Case
  readonly stream: boolean
}

/** The dialect that a client format is the same as. */
export const OWN_DIALECT: Readonly<Record<AskedFormat, Dialect>> = {
  chat: 'chat-completions',
  messages: 'messages',
  responses: 'responses',
}

type Asking = Omit<Wish, 'model' | 'stream'> & { readonly model: ChatModel }

export const ASKING: Readonly<Record<Case, Asking>> = {
  text: { model: 'plain' },
  tools: { model: 'caller', tools: 'free' },
  reasoning: { model: 'thinker', reasoning: true },
  // A byte is a token for these models, so that this is surely more than they hold.
  overflow: { model: 'plain', text: 'word '.repeat(CONTEXT_TOKENS / 4) },
}

/** What the models answer to each case: asked of the server itself, in one dialect, as a whole. */
export type Reference = Readonly<Partial<Record<Case, Reading>>>

export async function readReference(lab: Lab, cases: readonly Case[]): Promise<Reference> {
  const found: Partial<Record<Case, Reading>> = {}
  for (const name of cases) {
    if (name === 'overflow') continue
    const { model } = ASKING[name]
    const response = await fetch(lab.server.originOf(model) + PATHS.chat, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${lab.server.secret}` },
      body: JSON.stringify(body('chat', { ...ASKING[name], stream: false })),
    })
    const reading = readLeniently('chat-completions', await response.text())
    const isThere = { text: reading.text !== '', tools: reading.tools.length > 0, reasoning: reading.reasoning !== '' }
    if (!isThere[name]) throw new Error(`${lab.server.name} has no answer for '${name}': ${JSON.stringify(reading)}`)
    found[name] = reading
  }
  return found
}

/** Throws an error that says what was wrong. */
export async function checkCell(lab: Lab, place: CellPlace, reference: Reference): Promise<void> {
  const { dialect, format, stream } = place
  lab.tap.take()
  const wish = { ...ASKING[place.case], model: lab.model(dialect, ASKING[place.case].model), stream }
  const answer = await ask(lab, format, wish)
  if (place.case === 'overflow') {
    checkOverflow(place, answer)
    must(lab.tap.take().length === 1, 'the same request was sent again, although it is too long each time')
    must((await lab.receipt(answer.id)).charge_credits === 0, 'a refused call was charged')
    return
  }
  must(answer.status === 200, `status ${answer.status}: ${errorOf(answer.text).message}`)
  const { text: sent } = onlyExchange(lab.tap.take())
  const expected = reference[place.case]
  if (expected === undefined) throw new Error('there is nothing to compare it with')
  const got = readAs(place, answer)
  checkContent(got, expected)
  const usage = readLeniently(dialect, sent).usage
  checkCharge(await lab.receipt(answer.id), usage, got)
}

type Got = Pick<Reading, 'text' | 'reasoning' | 'tools'> & { readonly input: number; readonly output: number }

/** As the format's strictest client reads it; what a server says in the client's own dialect is passed on and read with patience. */
export function readAs({ dialect, format, stream }: Omit<CellPlace, 'case'>, { text }: Answer): Got {
  if (OWN_DIALECT[format] === dialect) {
    const { usage, ...reading } = readLeniently(dialect, text)
    return { ...reading, input: inputOf(usage), output: usage?.output ?? 0 }
  }
  const { usage, ...seen } = fold(format, { stream, text })
  return { ...seen, input: usage.input, output: usage.output }
}

function fold(format: AskedFormat, { stream, text }: { readonly stream: boolean; readonly text: string }): Seen {
  try {
    return stream ? foldStream(format, text) : foldWhole(format, text)
  } catch (error) {
    const told = /"error": ?\{/.test(text) ? `; the client was told: ${errorOf(text).message}` : ''
    throw new Error((error as Error).message + told, { cause: error })
  }
}

export function checkContent(got: Pick<Reading, 'text' | 'reasoning' | 'tools'>, expected: Reading): void {
  for (const kind of ['text', 'reasoning'] as const) {
    const [is, should] = [got[kind].trim(), expected[kind].trim()]
    if (is === should) continue
    const isTwice = should !== '' && withoutSpace(is) === withoutSpace(should).repeat(2)
    if (isTwice) throw new Error(`the ${kind} came twice`)
    throw new Error(is === '' ? `the ${kind} was lost` : `the ${kind} was ${quoted(is)} and not ${quoted(should)}`)
  }
  const [is, should] = [JSON.stringify(got.tools), JSON.stringify(expected.tools)]
  must(is === should, `the tool calls were ${is} and not ${should}`)
}

function checkCharge(receipt: Receipt, usage: ReadUsage | undefined, got: Got): void {
  must(receipt.outcome === 'answered', `the receipt says '${receipt.outcome}'`)
  const isReported = usage !== undefined && usage.output > 0
  if (!isReported) {
    must(receipt.tokens.output.source === 'estimated', 'no tokens were reported, and the receipt says that they were')
    must(receipt.charge_credits > 0, 'the call was free')
    return
  }
  const { tokens } = receipt
  const counted = [tokens.input, tokens.cache_read, tokens.cache_write, tokens.output].map((one) => one.tokens ?? 0)
  const told = [usage.input, usage.cacheRead, usage.cacheWrite, usage.output]
  must(
    String(counted) === String(told),
    `the receipt has ${counted.join('/')} tokens, the server said ${told.join('/')}`,
  )
  must(tokens.output.source === 'reported', `the output tokens are ${tokens.output.source}`)
  const charge = Math.round(receipt.charge_credits * 1_000_000)
  must(charge === chargeOf(usage), `the charge is ${charge} micro-credits and not ${chargeOf(usage)}`)
  must(
    got.input === inputOf(usage) && got.output === usage.output,
    `the client was told ${got.input}/${got.output} tokens, the server said ${inputOf(usage)}/${usage.output}`,
  )
}

function inputOf(usage: ReadUsage | undefined): number {
  return usage === undefined ? 0 : usage.input + usage.cacheRead + usage.cacheWrite
}

/** What the tools of each format wait for before they shorten a conversation. */
const OVERFLOW_WORDS: Readonly<Record<AskedFormat, RegExp>> = {
  chat: /maximum context length|context_length_exceeded/i,
  messages: /prompt is too long/i,
  responses: /maximum context length|context_length_exceeded/i,
}

function checkOverflow({ format }: CellPlace, { status, text }: Answer): void {
  const { message, code } = errorOf(text)
  must(status === 400 || /context_length_exceeded/.test(String(code)), `status ${status}: ${quoted(message)}`)
  must(
    OVERFLOW_WORDS[format].test(`${message} ${String(code)}`),
    `the words are not those that clients of the format wait for: ${quoted(message)}`,
  )
}

export function must(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new Error(problem)
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '')
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 117)}...` : text)
}

export function firstChoice(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text)
  const choices: unknown = isRecord(value) ? value['choices'] : undefined
  const [first] = Array.isArray(choices) ? choices : []
  return isRecord(first) ? first : {}
}
