// Requests of the responses format that name earlier answers instead of sending them, at providers who do not know them: what is found
// again and by whom, what is refused, and what it costs.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectSoundBooks } from './fault-support.ts'
import { DIALECTS, startFormats, type Dialect } from './formats.ts'
import { eventData, ORDINARY_CHARGE, post, usageOf, type Pair } from './support.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { addModel, newKey, startTargets, type Targets } from './targets-support.ts'

type Json = Readonly<Record<string, unknown>>
type Answer = Json & { readonly id: string; readonly output: readonly (Json & { readonly id: string })[] }

const TRANSLATED = DIALECTS.filter((dialect) => dialect !== 'responses')
const PATH = '/v1/responses'
const HELLO = { role: 'user', content: 'Hello' }
const AND = { role: 'user', content: 'And?' }
/** 19 tokens of input and 100 of output. */
const LONG_CHARGE = 0.000219

async function answerOf(response: Response): Promise<Answer> {
  expect(response.status).toBe(200)
  return (await response.json()) as Answer
}

async function errorOf(response: Response): Promise<Json> {
  return ((await response.json()) as { readonly error: Json }).error
}

describe('with one provider of each dialect', () => {
  let pair: Pair
  let key: string

  beforeAll(async () => {
    pair = await startFormats()
    key = await pair.farebox.newKey('plenty')
  })
  beforeEach(() => pair.upstream.forget())
  afterAll(async () => {
    await expectSoundBooks(pair)
    await pair.close()
  })

  const send = (body: Json, as = key) => post(pair.farebox, body, { key: as, path: PATH })

  async function first(model: Dialect, members: Json = {}): Promise<Answer> {
    pair.upstream.once({ type: 'answer', text: 'Good day.' })
    return answerOf(await send({ model, input: [HELLO], ...members }))
  }

  const lastText = () => JSON.stringify(pair.upstream.requests.at(-1)?.body)

  describe.each(TRANSLATED)('at %s', (model) => {
    it('goes on from an answer by its id, and from that one by its own', async () => {
      const one = await first(model, { input: 'My name is Ada.' })
      pair.upstream.once({ type: 'answer', text: 'You are Ada.' })
      const two = await answerOf(await send({ model, input: 'Who am I?', previous_response_id: one.id }))
      expect(two['previous_response_id']).toBe(one.id)
      await answerOf(await send({ model, input: 'Thank you.', previous_response_id: two.id }))
      const said = ['My name is Ada.', 'Good day.', 'Who am I?', 'You are Ada.', 'Thank you.']
      const places = said.map((text) => lastText().indexOf(text))
      expect(places).not.toContain(-1)
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      // Somebody may go on from the first answer once more, in another direction.
      await answerOf(await send({ model, input: 'Goodbye.', previous_response_id: one.id }))
      expect(lastText()).not.toContain('Who am I?')
    })

    it('runs a tool that an answer called before', async () => {
      const { upstream } = pair
      upstream.once({ type: 'answer', toolCalls: [{ id: 'call_1', name: 'f', arguments: '{"a":1}' }] })
      const tools = [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }]
      const one = await answerOf(await send({ model, input: 'Go.', tools }))
      const result = { type: 'function_call_output', call_id: 'call_1', output: 'the result' }
      await answerOf(await send({ model, tools, input: [result], previous_response_id: one.id }))
      expect(lastText()).toContain('the result')
      expect(lastText()).toContain('call_1')
    })

    it.each<[string, (id: string) => string]>([
      ['changed by a character', (id) => id.replace(/.$/, (end) => (end === '1' ? '2' : '1'))],
      ['of another answer', (id) => id.replace(/[0-9a-f]{12}/, '000000000000')],
      ['in capitals', (id) => id.toUpperCase()],
      ['very long', (id) => id.repeat(20_000)],
    ])('refuses an id that is %s, in the words of OpenAI, and charges nothing', async (_how, change) => {
      const one = await first(model)
      const id = change(one.output[0]?.id ?? '')
      const own = await pair.farebox.newKey('plenty')
      const byItem = await send({ model, input: [HELLO, { type: 'item_reference', id }, AND] })
      expect(byItem.status).toBe(404)
      expect(await errorOf(byItem)).toMatchObject({
        message: expect.stringMatching(/^Item .*not found/),
        param: 'input[1].id',
      })
      const byAnswer = await send({ model, input: [AND], previous_response_id: change(one.id) }, own)
      expect(byAnswer.status).toBe(400)
      expect(await errorOf(byAnswer)).toMatchObject({
        message: expect.stringMatching(/^Previous response .*not found/),
        details: { code: 'previous_response_not_found' },
      })
      expect(pair.upstream.requests).toHaveLength(1)
      expect(await pair.farebox.balance(own)).toMatchObject({ used_credits: 0, held_credits: 0 })
    })

    it('does not tell another key what it told one', async () => {
      const one = await first(model)
      const other = await pair.farebox.newKey('plenty')
      const id = one.output[0]?.id
      expect((await send({ model, input: [{ type: 'item_reference', id }] }, other)).status).toBe(404)
      expect((await send({ model, input: [AND], previous_response_id: one.id }, other)).status).toBe(400)
      expect(pair.upstream.requests).toHaveLength(1)
      // Not even when that one has answers of its own.
      pair.upstream.once({ type: 'answer', text: 'Good day.' })
      await answerOf(await send({ model, input: [HELLO] }, other))
      expect((await send({ model, input: [{ type: 'item_reference', id }] }, other)).status).toBe(404)
    })

    it('knows no answer that was not to be kept', async () => {
      const one = await first(model, { store: false })
      const id = one.output[0]?.id
      expect((await send({ model, input: [{ type: 'item_reference', id }] })).status).toBe(404)
    })
  })

  it('sends own answers to a provider of responses, who does not know them, and leaves it those that are its own', async () => {
    const one = await first('messages')
    const names = one.output.map(({ id }) => ({ type: 'item_reference', id }))
    const its = { type: 'item_reference', id: 'msg_of_the_provider' }
    await answerOf(await send({ model: 'responses', input: [HELLO, ...names, its, AND] }))
    expect(pair.upstream.requests.at(-1)?.body).toMatchObject({
      input: [HELLO, { type: 'message', role: 'assistant', content: [{ text: 'Good day.' }] }, its, AND],
    })
    await answerOf(await send({ model: 'responses', input: [AND], previous_response_id: one.id }))
    expect(pair.upstream.requests.at(-1)?.body).toMatchObject({ input: [HELLO, { role: 'assistant' }, AND] })
    expect(pair.upstream.requests.at(-1)?.body['previous_response_id']).toBeNull()
  })

  it('charges what the provider counts, and holds named answers as the text that they are', async () => {
    const asked = { model: 'messages', max_output_tokens: 100 }
    const named = async (as: string) => {
      const usage = { input_tokens: 19, output_tokens: 100 }
      pair.upstream.once({ type: 'answer', text: 'A word and another. '.repeat(400), usage })
      const one = await answerOf(await send({ ...asked, input: 'Hello' }, as))
      return { ...asked, input: [HELLO, { type: 'item_reference', id: one.output[0]?.id }, AND] }
    }
    // Pays for the text as it is, and by far not for the whole context, which a name that nobody knows is held for.
    const enough = await keyWith(60_000)
    await answerOf(await send(await named(enough), enough))
    const used = { used_credits: LONG_CHARGE + ORDINARY_CHARGE, held_credits: 0 }
    expect(await pair.farebox.balance(enough)).toMatchObject(used)
    const less = await keyWith(2000)
    expect((await send(await named(less), less)).status).toBe(402)
    expect((await send({ ...asked, input: [HELLO, AND] }, less)).status).toBe(200)
    expect(await pair.farebox.balance(less)).toMatchObject(used)
  })

  async function keyWith(microCredits: number): Promise<string> {
    const name = `with ${microCredits}`
    await pair.farebox.admin.call('addPackage', { body: { name, type: 'topup', credits: microCredits / 1e6 } })
    return pair.farebox.newKey(name)
  }
})

describe.each([false, true])('an answer of a provider of responses, streamed %s', (stream) => {
  let targets: Targets

  beforeAll(async () => {
    targets = await startTargets()
  })
  beforeEach(() => {
    for (const upstream of targets.upstreams) upstream.forget()
  })
  afterAll(() => targets.close())

  const SAID = 'Grüße 🙂'
  const bodyAt = (index: number) => targets.upstreams[index]?.requests.at(-1)?.body

  /** Asks a model whose first target passes its answers on. Returns the answer and a way to ask again with the same key. */
  async function begin(dialects: readonly Dialect[]) {
    const model = await addModel(targets, dialects)
    const { key } = await newKey(targets)
    const send = (body: Json) => post(targets.farebox, { model, ...body }, { key, path: PATH })
    const [upstream] = targets.upstreams
    upstream.once({
      type: 'answer',
      text: SAID,
      reasoning: 'Hm.',
      toolCalls: [{ id: 'call_1', name: 'f', arguments: '{}' }],
    })
    const response = await send({ input: [HELLO], stream })
    const answer = stream ? finalOf(await response.text()) : await answerOf(response)
    expect(answer.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call'])
    const names = answer.output.map(({ id }) => ({ type: 'item_reference', id }))
    const result = { type: 'function_call_output', call_id: 'call_1', output: 'done' }
    return { key, send, answer, upstream, named: [HELLO, ...names, result] }
  }

  function finalOf(stream: string): Answer {
    const last = eventData(stream).findLast((data) => data.includes('response.completed')) ?? '{}'
    return (JSON.parse(last) as { readonly response: Answer }).response
  }

  it('stays named where it goes back to that provider', async () => {
    const { send, answer, named } = await begin(['responses', 'messages'])
    await answerOf(await send({ input: named }))
    expect(bodyAt(0)).toMatchObject({ input: named })
    await answerOf(await send({ input: [AND], previous_response_id: answer.id }))
    expect(bodyAt(0)).toMatchObject({ input: [AND], previous_response_id: answer.id })
    expect(targets.upstreams[1].requests).toEqual([])
  })

  it.each<[Dialect]>([['responses'], ['messages'], ['chat-completions'], ['gemini']])(
    'is sent as it was said where that provider fails and one of %s answers',
    async (dialect) => {
      const { send, answer, upstream, named } = await begin(['responses', dialect])
      upstream.script({ type: 'status', status: 503 })
      for (const body of [{ input: named }, { input: [named.at(-1)], previous_response_id: answer.id }]) {
        await answerOf(await send(body))
        const text = JSON.stringify(bodyAt(1))
        expect(text.split(SAID)).toHaveLength(2)
        expect(text).toContain('done')
        // Ids of one provider mean nothing to another one.
        for (const { id } of answer.output) expect(text).not.toContain(id)
        expect(text).not.toContain(answer.id)
      }
      // Reasoning that nobody sealed is of no use to another provider of the format, which would look for it by its id.
      if (dialect === 'responses') expect(JSON.stringify(bodyAt(1))).not.toContain('Hm.')
    },
  )

  it.each<[string, Behaviour]>([
    ['reports no usage', { type: 'answer', text: 'Yes.', usage: null }],
    ['breaks off', { type: 'answer', text: 'Yes, and no.', cut: { at: { afterEvent: 2 }, how: 'reset' } }],
  ])('is charged as the input that it is where another provider gets it and %s', async (_what, behaviour) => {
    const { key, name } = await newKey(targets)
    const ask = async (model: string, body: Json) =>
      post(targets.farebox, { model, stream, ...body }, { key, path: PATH })
    targets.upstreams[0].once({ type: 'answer', text: 'A word and another. '.repeat(200) })
    const response = await ask(await addModel(targets, ['responses']), { input: [HELLO] })
    const answer = stream ? finalOf(await response.text()) : await answerOf(response)
    const names = answer.output.map(({ id }) => ({ type: 'item_reference', id }))
    for (const body of [{ input: [HELLO, ...names, AND] }, { input: [AND], previous_response_id: answer.id }]) {
      const model = await addModel(targets, ['chat-completions'])
      targets.upstreams[0].once(behaviour)
      await (await ask(model, { ...body, stream: true })).text()
      const found = async () => (await usageOf(targets.farebox, name)).find((one) => one.model === model)
      await expect.poll(found).toBeDefined()
      const record = await found()
      expect(record).toMatchObject({ usage_source: 'estimated' })
      // Four words each time, two hundred times.
      expect((record?.input_tokens ?? 0) + (record?.cache_read_tokens ?? 0)).toBeGreaterThan(800)
    }
  })

  it('is known to other models for the same key, and for no other', async () => {
    const { key, named } = await begin(['responses'])
    const model = await addModel(targets, ['messages'])
    await answerOf(await post(targets.farebox, { model, input: named }, { key, path: PATH }))
    expect(JSON.stringify(bodyAt(0)).split(SAID)).toHaveLength(2)
    const { key: other } = await newKey(targets)
    expect((await post(targets.farebox, { model, input: named }, { key: other, path: PATH })).status).toBe(404)
  })
})

describe('the memory', () => {
  it('ends with the process, and with the setting that nothing is kept', async () => {
    for (const FAREBOX_ANSWER_MEMORY_MS of ['0', '60000']) {
      const pair = await startFormats({ env: { FAREBOX_ANSWER_MEMORY_MS } })
      const key = await pair.farebox.newKey('plenty')
      const one = await answerOf(await post(pair.farebox, { model: 'messages', input: 'Hi' }, { key, path: PATH }))
      const again = await post(
        pair.farebox,
        { model: 'messages', input: 'Hi', previous_response_id: one.id },
        { key, path: PATH },
      )
      expect(again.status).toBe(FAREBOX_ANSWER_MEMORY_MS === '0' ? 400 : 200)
      await pair.close()
    }
  })
})
