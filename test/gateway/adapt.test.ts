// A provider that does not take a member of a translated request is asked again without it, before its client hears anything,
// and the client pays for one answer.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import type { RecordedRequest } from '../support/upstream.ts'
import { ask, expectFormatError, formatOf, startFormats, type FormatName } from './formats.ts'
import { expectSoundBooks } from './fault-support.ts'
import { soon, usageOf, type Pair } from './support.ts'
import { chatModel } from '../support/farebox.ts'

let pair: Pair
let name: string
let key: string
let model: string
let tests = 0

beforeAll(async () => {
  pair = await startFormats()
})

beforeEach(async () => {
  pair.upstream.forget()
  name = `adapt ${++tests}`
  ;({ key } = await pair.farebox.admin.call('createKey', { body: { name, package: 'plenty' } }))
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

/** A model at a target that nothing is known about yet. */
async function freshModel(provider: string, upstreamModel = 'fresh'): Promise<void> {
  model = `model-${tests}`
  const targets = [{ provider, model: `${upstreamModel}-${tests}` }]
  await pair.farebox.admin.call('addModel', { body: chatModel(model, { targets }) })
}

/** Refuses requests that have one of these members at their top, each with OpenAI's sentence about the first. */
function takingNo(...members: string[]): (request: RecordedRequest) => Behaviour {
  return ({ body }) => {
    const wrong = members.find((member) => member in body)
    if (wrong === undefined) return { type: 'answer' }
    const message = `Unsupported parameter: '${wrong}' is not supported with this model.`
    return { type: 'status', status: 400, error: { message, type: 'invalid_request_error', param: wrong, code: null } }
  }
}

const send = (format: FormatName, members: object, signal?: AbortSignal) =>
  ask(pair, formatOf(format), { key, members: { model, ...members }, ...(signal && { signal }) })

const WISHES = { max_tokens: 50, temperature: 0.5, top_p: 0.9, stop_sequences: ['x'], metadata: { user_id: 'someone' } }

async function expectOneCharge(outcome: object): Promise<void> {
  const records = await usageOf(pair.farebox, name)
  expect(records).toMatchObject([outcome])
  const balance = await pair.farebox.balance(key)
  expect(balance).toMatchObject({ held_credits: 0, total_requests: 1, used_credits: records[0]?.charge_credits })
}

describe('a provider that refuses a member', () => {
  it.each([false, true])(
    'is asked again without it, and the client learns what was lost, streaming %s',
    async (stream) => {
      await freshModel('chat-completions')
      pair.upstream.script(takingNo('temperature'))
      const response = await send('messages', { ...WISHES, stream })
      expect(`${response.status} ${await response.text()}`).toMatch(/^200 /)
      expect(response.headers.get('x-farebox-dropped')?.split(', ')).toContain('temperature')
      const bodies = pair.upstream.requests.map(({ body }) => body)
      expect(bodies.map((body) => 'temperature' in body)).toEqual([true, false])
      const { temperature: _lost, ...rest } = bodies[0] ?? {}
      expect(bodies[1]).toEqual(rest)
      await expectOneCharge({
        outcome: 'answered',
        status: 200,
        charge_credits: 0.000039,
        usage_source: 'reported',
        stream,
      })
    },
  )

  it('is remembered, for that target alone', async () => {
    await freshModel('chat-completions')
    pair.upstream.script(takingNo('temperature'))
    for (let call = 0; call < 2; call += 1) expect((await send('messages', WISHES)).status).toBe(200)
    expect(pair.upstream.requests).toHaveLength(3)
    expect((await send('responses', { temperature: 0.5 })).status).toBe(200)
    expect(pair.upstream.requests).toHaveLength(4)
    model = 'chat-completions'
    expect((await send('messages', WISHES)).status).toBe(200)
    expect(pair.upstream.requests).toHaveLength(6)
  })

  it('is not remembered where it refused a value', async () => {
    await freshModel('chat-completions')
    const script = ({ body }: RecordedRequest): Behaviour => {
      if (body.temperature !== 0.5) return { type: 'answer' }
      const error = { message: "Unsupported value: 'temperature' does not support 0.5.", code: 'unsupported_value' }
      return { type: 'status', status: 400, error: { ...error, param: 'temperature' } }
    }
    pair.upstream.script(script)
    expect((await send('messages', WISHES)).status).toBe(200)
    expect((await send('messages', { ...WISHES, temperature: 1 })).status).toBe(200)
    expect(pair.upstream.requests.map(({ body }) => body.temperature)).toEqual([0.5, undefined, 1])
  })

  it('is asked at most six times, and its last words go to the client', async () => {
    await freshModel('chat-completions')
    const members = { temperature: 1, top_p: 0.5, user: 'someone', tools: [TOOL], parallel_tool_calls: false }
    pair.upstream.script(takingNo('temperature', 'top_p', 'user', 'parallel_tool_calls', 'max_tokens', 'tools'))
    const response = await send('responses', { ...members, max_output_tokens: 9 })
    await expectFormatError(response, 'responses', 400, { param: expect.any(String) })
    expect(pair.upstream.requests).toHaveLength(6)
    await expectOneCharge({ outcome: 'refused', status: 400, charge_credits: 0 })
  })

  it.each(['model', 'messages', 'tools', 'tool_choice', 'stream', 'n', 'response_format'])(
    'is not asked again without %s, which decides what the call is',
    async (member) => {
      await freshModel('chat-completions')
      const error = { message: `Unsupported parameter: '${member}' is not supported.`, code: 'unsupported_parameter' }
      pair.upstream.script({ type: 'status', status: 400, error: { ...error, param: member } })
      const tools = { tools: [{ name: 'f', input_schema: { type: 'object' } }], tool_choice: { type: 'any' } }
      const format = { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } }
      const response = await send('messages', { ...WISHES, ...tools, ...format, stream: true })
      expect(await expectFormatError(response, 'messages', 400, { param: member })).toContain(member)
      expect(pair.upstream.requests).toHaveLength(1)
    },
  )
})

const TOOL = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }

describe('the output cap', () => {
  it.each([
    ['max_tokens', 'max_completion_tokens'],
    ['max_completion_tokens', 'max_tokens'],
  ] as const)('is sent as the other one where %s is refused, and then at once', async (refused, other) => {
    await freshModel('chat-completions')
    const { name: provider } = await pair.farebox.admin.call('addProvider', {
      body: {
        name: `cap ${tests}`,
        dialect: 'chat-completions',
        base_url: pair.upstream.url,
        output_cap_field: refused,
      },
    })
    const targets = [{ provider, model: 'capped' }]
    await pair.farebox.admin.call('addModel', { body: chatModel(`capped-${tests}`, { targets }) })
    model = `capped-${tests}`
    pair.upstream.script(takingNo(refused))
    for (let call = 0; call < 2; call += 1) {
      const response = await send('messages', { max_tokens: 50 })
      expect(response.status).toBe(200)
      expect(response.headers.get('x-farebox-dropped')).toBeNull()
    }
    const caps = pair.upstream.requests.map(({ body }) => ({ [refused]: body[refused], [other]: body[other] }))
    const renamed = { [refused]: undefined, [other]: 50 }
    expect(caps).toEqual([{ [refused]: 50, [other]: undefined }, renamed, renamed])
  })
})

describe('a request that is passed on as it came', () => {
  it.each(['chat', 'messages', 'responses'] as const)('is not adapted: %s', async (name_) => {
    const format = formatOf(name_)
    model = format.dialect
    const words = `{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","code":400}}`
    pair.upstream.script({ type: 'status', status: 400, body: JSON.parse(words) })
    const response = await send(name_, { temperature: 0.5 })
    expect([response.status, await response.text()]).toEqual([400, words])
    expect(pair.upstream.requests).toHaveLength(1)
    pair.upstream.script({ type: 'answer' })
    expect((await send(name_, { temperature: 0.5 })).status).toBe(200)
    expect(pair.upstream.requests.at(-1)?.body).toMatchObject({ temperature: 0.5 })
  })
})

describe('between two attempts', () => {
  const refusal = {
    type: 'status',
    status: 400,
    error: { message: 'temperature: Extra inputs are not permitted' },
  } as const

  /** Makes the first attempt fail at once and the second one wait. */
  async function untilSecondAttempt(call: Promise<Response | undefined>): Promise<void> {
    await soon(() => pair.upstream.requests.length === 2)
    void call
  }

  beforeEach(async () => {
    await freshModel('chat-completions')
    pair.upstream.once(refusal)
    pair.upstream.script({ type: 'answer', headersAfterMs: Infinity })
  })

  it('the client may leave', async () => {
    const leaving = new AbortController()
    const call = send('messages', WISHES, leaving.signal).catch(() => undefined)
    await untilSecondAttempt(call)
    leaving.abort()
    await call
    await soon(() => pair.upstream.requests[1]?.closedAtMs)
    await soon(async () => (await usageOf(pair.farebox, name)).length === 1)
    await expectOneCharge({ outcome: 'client_gone', charge_credits: 0 })
  })

  it('its key may be revoked', async () => {
    const call = send('messages', WISHES)
    await untilSecondAttempt(call)
    await pair.farebox.admin.call('revokeKey', { id: name })
    await expectFormatError(await call, 'messages', 403)
    await soon(() => pair.upstream.requests[1]?.closedAtMs)
    expect(await usageOf(pair.farebox, name)).toMatchObject([{ outcome: 'failed', status: 403, charge_credits: 0 }])
  })

  it('Farebox may be shut down', async () => {
    const other = await startFormats({ env: { FAREBOX_SHUTDOWN_GRACE_MS: '50' } })
    other.upstream.once(refusal)
    other.upstream.script({ type: 'answer', headersAfterMs: Infinity })
    const otherKey = await other.farebox.newKey('plenty')
    const members = { ...WISHES, model: 'chat-completions' }
    const call = ask(other, formatOf('messages'), { key: otherKey, members })
    await soon(() => other.upstream.requests.length === 2)
    const closed = other.close()
    await expectFormatError(await call, 'messages', 503)
    await closed
    expect(other.farebox.log).toEqual([])
  })
})
