// What the table of cells has no column for: tools that are insisted on, structured output, several choices, probabilities,
// embeddings, counts of tokens, clients that leave, servers that die, and many calls at a time.

import { setTimeout as sleep } from 'node:timers/promises'
import { isRecord } from '#dialect/request-body.ts'
import { readLeniently, type Reading } from '../support/lenient-reader.ts'
import { body, FORMATS, PATHS, TOOL } from './asking.ts'
import { checkContent, firstChoice, must, readAs, type Reference } from './cells.ts'
import { ask, chargeOf, post, readAnswer, type Dialect, type Lab } from './lab.ts'
import type { Server } from './servers.ts'
import { sentText } from './tap.ts'

export type CheckPlace = {
  readonly lab: Lab
  readonly dialect: Dialect
  readonly reference: Reference
  /** The server that runs the models: the one asked, or the one behind it. Checks that end it need it. */
  readonly engine: Server | undefined
}

export type Check = {
  readonly name: string
  /** The dialects that have it; all where nothing is said. */
  readonly dialects?: readonly Dialect[]
  /** Throws an error that says what was wrong. */
  run(place: CheckPlace): Promise<void>
}

const PATIENCE_MS = 30_000
/** Long enough that nobody waits for its end; some servers finish a whole answer although its client has left. */
const endlessCap = (stream: boolean) => (stream ? 40_000 : 3_000)
const AT_ONCE = 24
/** How a stream of each format ends where nothing went wrong. */
const GOOD_END = { chat: /\[DONE\]/, messages: /message_stop/, responses: /response\.completed/ } as const

export const CHECKS: readonly Check[] = [
  { name: 'tools forced', run: forcedTools },
  { name: 'JSON schema', run: jsonSchema },
  { name: 'n', dialects: ['chat-completions'], run: severalChoices },
  { name: 'logprobs', dialects: ['chat-completions'], run: probabilities },
  { name: 'embeddings', dialects: ['chat-completions'], run: embeddings },
  { name: 'count_tokens', dialects: ['messages'], run: countTokens },
  { name: 'cancel', run: cancel },
  { name: 'kill', run: killServer },
  { name: '24 at once', run: manyAtOnce },
]

/** Runs something for each client format, and says in which one it failed. */
async function eachFormat(run: (format: (typeof FORMATS)[number], stream: boolean) => Promise<void>): Promise<void> {
  const problems: string[] = []
  for (const format of FORMATS) {
    for (const stream of [false, true]) {
      try {
        await run(format, stream)
      } catch (error) {
        problems.push(`${format}, ${stream ? 'streamed' : 'whole'}: ${(error as Error).message}`)
      }
    }
  }
  must(problems.length === 0, problems.join('; '))
}

async function forcedTools({ lab, dialect }: CheckPlace): Promise<void> {
  await eachFormat(async (format, stream) => {
    const answer = await ask(lab, format, { model: lab.model(dialect, 'caller'), stream, tools: 'forced' })
    must(answer.status === 200, `status ${answer.status}: ${answer.text.slice(0, 160)}`)
    const { tools } = readAs({ dialect, format, stream }, answer)
    const [call] = tools
    must(tools.length === 1 && call?.name === TOOL, `the calls were ${JSON.stringify(tools)}`)
    must(isRecord(call.arguments) && typeof call.arguments['city'] === 'string', 'the arguments are not of the schema')
  })
}

async function jsonSchema({ lab, dialect }: CheckPlace): Promise<void> {
  await eachFormat(async (format, stream) => {
    const answer = await ask(lab, format, { model: lab.model(dialect, 'plain'), stream, schema: true })
    must(answer.status === 200, `status ${answer.status}: ${answer.text.slice(0, 160)}`)
    const { text } = readAs({ dialect, format, stream }, answer)
    must(isOfSchema(text), `the answer is not of the schema: ${text.slice(0, 20)}`)
  })
}

function isOfSchema(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) && typeof value['city'] === 'string'
  } catch {
    // It is prose.
    return false
  }
}

async function severalChoices({ lab, dialect, reference }: CheckPlace): Promise<void> {
  const model = lab.model(dialect, 'plain')
  const sent = { ...body('chat', { model, stream: false }), n: 2 }
  const answer = await readAnswer(await post(lab, PATHS.chat, sent))
  must(answer.status === 200, `status ${answer.status}: ${answer.text.slice(0, 160)}`)
  const { choices } = JSON.parse(answer.text) as {
    readonly choices: readonly { readonly message: { content: string } }[]
  }
  must(choices.length === 2, `there are ${choices.length} choices`)
  for (const { message } of choices) {
    must(message.content.trim() === reference.text?.text.trim(), 'a choice is not what the model says')
  }
  const { usage } = readLeniently('chat-completions', answer.text)
  const charge = Math.round((await lab.receipt(answer.id)).charge_credits * 1_000_000)
  must(usage !== undefined && charge === chargeOf(usage), `the charge of both is ${charge} micro-credits`)
}

async function probabilities({ lab, dialect }: CheckPlace): Promise<void> {
  const model = lab.model(dialect, 'plain')
  const sent = { ...body('chat', { model, stream: false }), logprobs: true, top_logprobs: 2 }
  const answer = await readAnswer(await post(lab, PATHS.chat, sent))
  must(answer.status === 200, `status ${answer.status}: ${answer.text.slice(0, 160)}`)
  const logprobs = firstChoice(answer.text)['logprobs']
  const content: unknown = isRecord(logprobs) ? logprobs['content'] : undefined
  must(Array.isArray(content) && content.length > 0, 'there are no probabilities')
}

async function embeddings({ lab, dialect }: CheckPlace): Promise<void> {
  const input = ['The sun.', 'The rain is falling.', 'Snow']
  const vectors: number[][] = []
  for (const format of ['float', 'base64'] as const) {
    lab.tap.take()
    const sent = { model: lab.model(dialect, 'embedder'), input, encoding_format: format }
    const answer = await readAnswer(await post(lab, '/v1/embeddings', sent))
    must(answer.status === 200, `status ${answer.status}: ${answer.text.slice(0, 160)}`)
    const { data } = JSON.parse(answer.text) as { readonly data: readonly { readonly embedding: number[] | string }[] }
    must(data.length === input.length, `there are ${data.length} vectors of ${input.length}`)
    vectors.push(data.flatMap(({ embedding }) => numbersIn(embedding)))
    const { usage } = readLeniently('embeddings', lab.tap.take().map(sentText).join(''))
    const charge = Math.round((await lab.receipt(answer.id)).charge_credits * 1_000_000)
    must(usage !== undefined && usage.input > 0, 'the server reported no tokens')
    must(charge === chargeOf(usage), `the charge is ${charge} micro-credits and not ${chargeOf(usage)}`)
  }
  const [floats = [], decoded = []] = vectors
  must(floats.length === decoded.length && floats.length > 0, 'base64 has another length')
  must(
    floats.every((value, index) => Math.abs(value - (decoded[index] ?? 9)) < 1e-5),
    'base64 has other numbers',
  )
}

function numbersIn(embedding: number[] | string): number[] {
  if (typeof embedding !== 'string') return embedding
  const bytes = Buffer.from(embedding, 'base64')
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4))
}

async function countTokens({ lab, dialect }: CheckPlace): Promise<void> {
  const sent = body('messages', { model: lab.model(dialect, 'plain'), stream: false })
  const { max_tokens: _, ...counted } = sent
  const count = await readAnswer(await post(lab, '/v1/messages/count_tokens', counted))
  must(count.status === 200, `status ${count.status}: ${count.text.slice(0, 160)}`)
  lab.tap.take()
  const answer = await readAnswer(await post(lab, PATHS.messages, sent))
  const { usage } = readLeniently('messages', answer.text)
  const real = (usage?.input ?? 0) + (usage?.cacheRead ?? 0) + (usage?.cacheWrite ?? 0)
  const { input_tokens: told } = JSON.parse(count.text) as { readonly input_tokens: number }
  must(told === real, `${told} tokens were counted, and the call had ${real}`)
}

/** The client leaves in the middle: the server is told, what was made is charged, and nothing stays held. */
async function cancel({ lab, dialect }: CheckPlace): Promise<void> {
  await eachFormat(async (format, stream) => {
    lab.tap.take()
    const leave = new AbortController()
    const wish = { model: lab.model(dialect, 'endless'), stream, cap: endlessCap(stream) }
    const asking = post(lab, PATHS[format], body(format, wish), leave.signal)
    const left = asking.catch(() => undefined)
    if (stream) await firstPiece(await asking)
    await until('the server is asked', () => lab.tap.exchanges.some(({ status }) => status !== 0 || !stream))
    leave.abort()
    await left
    const [exchange] = lab.tap.exchanges
    const end = await Promise.race([exchange?.ended, sleep(PATIENCE_MS, 'went on', { ref: false })])
    const sent = exchange === undefined ? '' : sentText(exchange).slice(-160)
    must(end === 'client-left', `the server was not told that the client had left: ${String(end)}, ${sent}`)
    await until('nothing is held', async () => (await lab.heldCredits()) === 0)
  })
}

/** The server dies in the middle: no answer looks complete, nothing stays held, and the next call works. */
async function killServer({ lab, dialect, engine }: CheckPlace): Promise<void> {
  if (engine === undefined) throw new Error('there is no server to end')
  await eachFormat(async (format, stream) => {
    lab.tap.take()
    const wish = { model: lab.model(dialect, 'endless'), stream, cap: endlessCap(stream) }
    const asking = post(lab, PATHS[format], body(format, wish))
    const answer = stream ? restOf(await asking) : asking.then(readAnswer)
    if (stream) await until('the stream runs', () => lab.tap.exchanges.some(({ chunks }) => chunks.length > 3))
    else await until('the server is asked', () => lab.tap.exchanges.length > 0)
    await engine.kill('endless')
    try {
      const { status, text } = await answer
      must(status !== 200 || !GOOD_END[format].test(text), `the answer looks complete: ${text.slice(-160)}`)
      must(status !== 200 || text.includes('error'), `nothing in it says that it broke off: ${text.slice(-160)}`)
      await until('nothing is held', async () => (await lab.heldCredits()) === 0)
    } finally {
      await engine.restart('endless')
    }
    // A target that failed is left alone for a while.
    await until('calls are answered again', async () => {
      const next = await ask(lab, 'chat', { model: lab.model(dialect, 'endless'), stream: false, cap: 8 })
      return next.status === 200
    })
  })
}

/** All formats, whole and streamed, at the same time: each gets its own answer, and the charges add up. */
async function manyAtOnce({ lab, dialect, reference }: CheckPlace): Promise<void> {
  lab.tap.take()
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, index) => {
      const format = FORMATS[index % FORMATS.length] ?? 'chat'
      const stream = index % 2 === 0
      const answer = await ask(lab, format, { model: lab.model(dialect, 'plain'), stream })
      must(answer.status === 200, `${format}: status ${answer.status}: ${answer.text.slice(0, 160)}`)
      checkContent(readAs({ dialect, format, stream }, answer), reference.text as Reading)
      return answer
    }),
  )
  const receipts = await Promise.all(answers.map(({ id }) => lab.receipt(id)))
  const charged = receipts.reduce((sum, { charge_credits: credits }) => sum + Math.round(credits * 1_000_000), 0)
  const usages = lab.tap.take().map((exchange) => readLeniently(dialect, sentText(exchange)).usage)
  const isReported = usages.every((usage) => usage !== undefined && usage.output > 0)
  const owed = usages.reduce((sum, usage) => sum + (usage === undefined ? 0 : chargeOf(usage)), 0)
  must(!isReported || charged === owed, `${charged} micro-credits were charged for ${owed}`)
  must(isReported || charged > 0, 'the calls were free')
  must((await lab.heldCredits()) === 0, 'credits are still held')
}

async function firstPiece(response: Response): Promise<void> {
  const { value } = (await response.body?.getReader().read()) ?? {}
  must(value !== undefined, 'the stream was empty')
}

/** What arrives until the end, however it ends. */
async function restOf(response: Response): Promise<{ readonly status: number; readonly text: string }> {
  const pieces: Uint8Array[] = []
  try {
    for await (const piece of response.body ?? []) pieces.push(piece as Uint8Array)
  } catch {
    pieces.push(Buffer.from('\nerror: the connection broke'))
  }
  return { status: response.status, text: Buffer.concat(pieces).toString('utf8') }
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const patience = Date.now() + PATIENCE_MS
  while (!(await holds())) {
    must(Date.now() < patience, `it never came that far: ${what}`)
    await sleep(50)
  }
}
