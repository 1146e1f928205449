// What one key's requests do at a provider says nothing about the provider: whatever the model writes for them and however the provider
// refuses them, another key is served as before. What is wrong with the provider itself leaves it out for all keys.

import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../support/cases.ts'
import { GEMINI_USAGE, ORDINARY_USAGE, type Behaviour } from '../support/upstream-behaviour.ts'
import { expectSoundBooks } from './fault-support.ts'
import { ask, DIALECTS, FORMATS, formatOf, startFormats, type Dialect, type FormatName } from './formats.ts'
import type { Pair } from './support.ts'

let pair: Pair
let bad = ''
let good = ''

beforeAll(async () => {
  pair = await startFormats({ env: { FAREBOX_UPSTREAM_RETRY_DELAY_MS: '1', FAREBOX_UPSTREAM_TRIALS_PER_SECOND: '2' } })
  bad = await pair.farebox.newKey('plenty')
  good = await pair.farebox.newKey('plenty')
})

afterEach(() => pair.upstream.forget())

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

const answers = (body: object, status = 200): Behaviour => ({ type: 'status', status, body })
const candidate = (content: object, finishReason = 'STOP') =>
  answers({ candidates: [{ content: { role: 'model', parts: [content] }, finishReason }], usageMetadata: GEMINI_USAGE })
const deep = (levels: number): object => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as object
const call = (body: object) =>
  answers({
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: null, ...body }, finish_reason: 'tool_calls' }],
    usage: ORDINARY_USAGE,
  })
const error = (message: string, status = 500) =>
  answers({ error: { code: status, message, type: 'server_error' } }, status)

/** What a provider of each dialect may answer to a request that is at fault, or for which the model wrote something that is no answer. */
const OF_REQUESTS: Readonly<Record<Dialect, readonly (readonly [what: string, Behaviour])[]>> = {
  gemini: [
    ...['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'].map(
      (reason) => [reason, candidate({ text: '' }, reason)] as const,
    ),
    ['MISSING_THOUGHT_SIGNATURE', candidate({ text: '' }, 'MISSING_THOUGHT_SIGNATURE')],
    ['a call without a name', candidate({ functionCall: { args: { a: 1 } } })],
    ['arguments that are no object', candidate({ functionCall: { name: 'f', args: '[1' } })],
    ['arguments that are nested too deeply', candidate({ functionCall: { name: 'f', args: deep(3000) } })],
    [
      'pieces of arguments at no place',
      candidate({ functionCall: { name: 'f', partialArgs: [{ jsonPath: '$[9]' }] } }),
    ],
    ['no candidate', answers({ usageMetadata: GEMINI_USAGE })],
    ['a prompt that is blocked', answers({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: GEMINI_USAGE })],
    ['an answer that moderation stopped', candidate({ text: '' }, 'PROHIBITED_CONTENT')],
  ],
  'chat-completions': [
    [
      'a call without a name',
      call({ tool_calls: [{ id: 'c', type: 'function', function: { arguments: '{"a":1}' } }] }),
    ],
    ['no choice', answers({ object: 'chat.completion', choices: [], usage: ORDINARY_USAGE })],
    ['no choices at all', answers({ object: 'chat.completion', choices: null, usage: ORDINARY_USAGE })],
    ['a call that Ollama cannot read', error("error parsing tool call: raw='{\"a\":1}]', err=invalid character ']'")],
    ['a call that llama-server cannot read', error('Failed to parse input at pos 395: <|tool_call_start|>[f(a=1)]')],
    [
      'an answer that llama-server cannot read',
      error('The model produced output that does not match the expected peg-native format'),
    ],
    ['an answer that vLLM cannot read', error('Unexpected token 12606 while expecting start token 200006')],
    ['a header that vLLM cannot read', error('unexpected tokens remaining in message header: Some("to=f")')],
    ['a feature that is missing', error('image input is not supported')],
    ['an error of moderation inside', answers({ error: { code: 'content_filter', message: 'It was filtered.' } })],
    [
      'a call that Groq cannot read',
      answers({ error: { code: 'tool_use_failed', message: 'Failed to call a function.' } }),
    ],
  ],
  messages: [
    [
      'a call without a name',
      answers({
        type: 'message',
        role: 'assistant',
        content: [{ type: 'tool_use', id: 't', input: { a: 1 } }],
        stop_reason: 'tool_use',
        usage: { input_tokens: 19, output_tokens: 10 },
      }),
    ],
    [
      'a request that is too large',
      answers({ type: 'error', error: { type: 'request_too_large', message: 'No.' } }, 413),
    ],
  ],
  responses: [
    [
      'a call without a name',
      answers({
        object: 'response',
        status: 'completed',
        output: [{ type: 'function_call', call_id: 'c', arguments: '{"a":1}' }],
        usage: { input_tokens: 19, output_tokens: 10, total_tokens: 29 },
      }),
    ],
    ...['image_content_policy_violation', 'invalid_prompt', 'invalid_image_url', 'failed_to_download_image'].map(
      (code) => [code, answers({ status: 'failed', output: [], error: { code, message: 'It does not do.' } })] as const,
    ),
  ],
}

/** In any dialect. */
const REFUSALS = ([400, 403, 404, 409, 413, 415, 422] as const).map(
  (status) => [`${status}`, error('This request is not served.', status)] as const,
)

/** The format whose calls are translated for every dialect but its own. */
const CALLED: Readonly<Record<Dialect, FormatName>> = {
  gemini: 'chat',
  'chat-completions': 'messages',
  messages: 'chat',
  responses: 'messages',
}

const send = (dialect: Dialect, key: string, members: object = {}, format = formatOf(CALLED[dialect])) =>
  ask(pair, format, { key, members: { model: dialect, ...members } })

async function statesOf(dialect: Dialect): Promise<string[]> {
  const { targets } = await pair.farebox.admin.call('status', {})
  return targets.flatMap(({ provider, state }) => (provider === dialect ? [state] : []))
}

async function expectServed(dialect: Dialect, calls: number): Promise<void> {
  pair.upstream.script({ type: 'answer' })
  for (let count = 0; count < calls; count++) {
    const response = await send(dialect, good)
    expect([response.status, await response.text()], `call ${count}`).toEqual([200, expect.any(String)])
  }
}

describe.each(DIALECTS)('a provider of %s', (dialect) => {
  it.each([...OF_REQUESTS[dialect], ...REFUSALS])(
    'that answers one key with %s serves every other key',
    async (_, how) => {
      pair.upstream.script(how)
      for (const format of [formatOf(CALLED[dialect]), ...FORMATS]) {
        const response = await send(dialect, bad, {}, format)
        await response.text()
      }
      for (let count = 0; count < 4; count++) await (await send(dialect, bad)).text()
      expect(await statesOf(dialect)).not.toContain('open')
      await expectServed(dialect, 6)
    },
  )

  it('that forbids what one key asks serves every other key at once, also after a silence', async () => {
    await new Promise((resolve) => setTimeout(resolve, 1100))
    pair.upstream.script(error('This request is not served.', 403))
    for (let count = 0; count < 4; count++) await (await send(dialect, bad)).text()
    await expectServed(dialect, 3)
  })

  it('serves every other key whatever one key gets, in any order', async () => {
    const kinds = [...OF_REQUESTS[dialect], ...REFUSALS]
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(kinds.length - 1), { minLength: 3, maxLength: 9 }), async (order) => {
        for (const index of order) {
          const [, how] = kinds[index] ?? []
          if (how !== undefined) pair.upstream.script(how)
          await (await send(dialect, bad)).text()
        }
        expect(await statesOf(dialect)).not.toContain('open')
        await expectServed(dialect, 2)
      }),
      { numRuns: cases(4, 12, 300) },
    )
  })

  it.each<readonly [string, Behaviour]>([
    ['500', error('It broke.', 500)],
    ['503', error('It broke.', 503)],
    ['no JSON', { type: 'html' }],
    ['a reset', { type: 'answer', cut: { at: 'before-headers', how: 'reset' } }],
  ])('that is sick itself is left out for all keys after %s', async (_, how) => {
    // Nothing was answered of late that would speak for it.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    pair.upstream.script(how)
    for (let count = 0; count < 3; count++) await (await send(dialect, bad)).text()
    expect(await statesOf(dialect)).toContain('open')
    pair.upstream.script({ type: 'answer' })
    await expect.poll(async () => (await send(dialect, good)).status, { timeout: 10_000 }).toBe(200)
  })
})
