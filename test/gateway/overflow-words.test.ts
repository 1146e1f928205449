// A context that is full, in the words of every provider that is known: whatever its dialect and its status, clients of each format
// are told in the words that make their tools shorten the history.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OVERFLOWS } from '../dialect/overflows.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { expectSoundBooks } from './fault-support.ts'
import { ask, DIALECTS, errorIn, FORMATS, PAIRS, startFormats, wordsIn, type Dialect, type Format } from './formats.ts'
import { eventData, type Pair } from './support.ts'

let pair: Pair
let key = ''

beforeAll(async () => {
  pair = await startFormats({ env: { FAREBOX_UPSTREAM_RETRY_DELAY_MS: '1' } })
  ;({ key } = await pair.farebox.admin.call('createKey', { body: { name: 'overflows', package: 'plenty' } }))
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

const TOLD: Readonly<Record<Format['name'], RegExp>> = {
  chat: /maximum context length/i,
  messages: /prompt is too long|exceed context limit/i,
  responses: /maximum context length/i,
  gemini: /input token count .*exceeds the maximum number of tokens/i,
}
const STATUSES = [400, 413, 500] as const

const send = (format: Format, dialect: Dialect, stream: boolean) =>
  ask(pair, format, { key, members: { model: dialect, stream } })

/** Holds an answer against what the tools of its format wait for, and returns its message. */
async function expectOverflow(response: Response, format: Format, stream: boolean): Promise<string> {
  const text = await response.text()
  if (format.name === 'responses' && stream) return expectFailedStream(response, text)
  expect(`${response.status} ${text}`).toMatch(/^400 \{/)
  const { error } = JSON.parse(text) as { error: { message: string } }
  expect(error).toMatchObject(
    format.name === 'gemini' ? { status: 'INVALID_ARGUMENT' } : { type: 'invalid_request_error' },
  )
  expect(error.message).toMatch(TOLD[format.name])
  return error.message
}

function expectFailedStream(response: Response, text: string): string {
  expect(`${response.status} ${text}`).toMatch(/^200 event/)
  const events = eventData(text).map((data) => JSON.parse(data) as Record<string, never>)
  expect(events.map(({ type }) => type)).toEqual(['response.created', 'response.in_progress', 'response.failed'])
  expect(events.map((event) => event['sequence_number'])).toEqual([0, 1, 2])
  const error = { code: 'context_length_exceeded', message: expect.stringMatching(TOLD.responses) }
  expect(events.at(-1)).toMatchObject({ response: { status: 'failed', error } })
  return events.at(-1)?.['response']?.['error']?.['message'] ?? ''
}

describe.each(PAIRS)('a full context, told to %s', (_name, format, dialect) => {
  it.each(OVERFLOWS.map(([provider, words], row) => [provider, words, row] as const))(
    'in the words of %s',
    async (_provider, words, row) => {
      const status = STATUSES[row % STATUSES.length] ?? 400
      // Every wording comes whole in some dialects and streamed in the others.
      const stream = (row + DIALECTS.indexOf(dialect)) % 2 === 0
      pair.upstream.forget()
      pair.upstream.script({ type: 'status', status, body: wordsIn(dialect, status, words) })
      await expectOverflow(await send(format, dialect, stream), format, stream)
      expect(pair.upstream.requests).toHaveLength(1)
    },
  )

  it.each(STATUSES)('with %i, in the form of llama-server', async (status) => {
    const message = 'request (5120 tokens) exceeds the available context size (4096 tokens), try increasing it'
    const error = { code: status, message, type: 'exceed_context_size_error', n_prompt_tokens: 5120, n_ctx: 4096 }
    for (const stream of [false, true]) {
      pair.upstream.script({ type: 'status', status, body: { error } })
      const told = await expectOverflow(await send(format, dialect, stream), format, stream)
      if (format.name === 'messages') expect(told).toBe('prompt is too long: 5120 tokens > 4096 maximum')
      else if (format.name !== 'gemini') expect(told).toContain('maximum context length is 4096 tokens')
      else expect(told).toMatch(/count \(5120\) exceeds .* \(4096\)/)
    }
  })

  it('as a reason of FastAPI', async () => {
    const words = 'The prompt is too long: 5120 tokens > 4096 maximum'
    pair.upstream.script({ type: 'status', status: 422, body: { detail: [{ loc: ['body', 'messages'], msg: words }] } })
    await expectOverflow(await send(format, dialect, false), format, false)
  })
})

describe('a full context in the words of the client', () => {
  const OWN = [
    ['chat', "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."],
    ['messages', 'prompt is too long: 210000 tokens > 200000 maximum'],
    ['messages', 'input length and `max_tokens` exceed context limit: 186433 + 20000 > 200000'],
  ] as const

  it.each(OWN)('of %s is passed on as it came: %s', async (name, words) => {
    const format = FORMATS.find((one) => one.name === name) ?? expect.fail('there is such a format')
    const error = { message: words, type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' }
    const body = { type: 'error', error, request_id: 'req_theirs' }
    pair.upstream.script({ type: 'status', status: 400, body })
    const response = await send(format, format.dialect, true)
    expect([response.status, await response.json()]).toEqual([400, body])
  })
})

describe('a full context that is found when the answer has begun', () => {
  const message = 'Context size has been exceeded.'
  const ERRORS = [
    { code: 500, message, type: 'server_error' },
    { code: 400, message: 'No.', type: 'exceed_context_size_error' },
    { code: 'context_length_exceeded', message: 'No.', type: 'invalid_request_error' },
  ] as const

  it.each(
    PAIRS.filter(([, , dialect]) => dialect !== 'gemini').flatMap(([name, format, dialect]) =>
      ERRORS.map((error, row) => [`${name}, ${row}`, format, dialect, error] as const),
    ),
  )('is told in the words of %s', async (_name, format, dialect, error) => {
    const afterEvents = dialect === 'messages' ? 4 : 6
    const script: Behaviour = {
      type: 'error-in-stream',
      afterEvents,
      error,
      pieces: ['one ', 'two ', 'three ', 'four '],
    }
    pair.upstream.script(script)
    const response = await send(format, dialect, true)
    const text = await response.text()
    expect(`${response.status} ${text}`).toMatch(/^200 /)
    const events = eventData(text).filter((data) => data !== '[DONE]')
    const told = JSON.parse(events.at(-1) ?? '') as Record<string, never>
    // Codex goes by the code, and what has it already is passed on.
    if (format.name === 'responses') {
      expect(told).toMatchObject({ type: 'response.failed', response: { error: { code: 'context_length_exceeded' } } })
      return
    }
    const message = expect.stringMatching(TOLD[format.name])
    const details = { code: 'context_length_exceeded' }
    if (format.name === 'gemini') expect(told).toMatchObject(errorIn('gemini', 400, expect.any(String), { details }))
    else expect(told['error']).toMatchObject({ message, type: 'invalid_request_error', details })
    expect(told['error']).toMatchObject({ message })
  })
})
