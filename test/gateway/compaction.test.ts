// Compaction: Codex and OpenAI's SDK ask for one item that stands for a conversation. It is given by every model, carried back as words, and
// metered like any answer.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chatModel } from '../support/farebox.ts'
import { expectSoundBooks } from './fault-support.ts'
import { startFormats } from './formats.ts'
import { eventData, ORDINARY_CHARGE, post, usageOf, type Pair } from './support.ts'

type Json = Readonly<Record<string, unknown>>
type Item = Json & { readonly id: string; readonly type: string; readonly encrypted_content?: string }
type Answer = Json & { readonly output: readonly Item[] }

const TRIGGER = { type: 'compaction_trigger' }
const TOOLS = [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }]
const TALK = [
  { role: 'user', content: 'My name is Ada.' },
  { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'the result' },
]

/** By model: a provider of each dialect, the one of the format itself with a model that is not OpenAI's. */
const WORDY = ['chat-completions', 'messages', 'open', 'gemini']
/** At the same provider, a model of OpenAI's. */
const OPENAI = 'responses'

let pair: Pair
let keys = 0
let key: string

beforeAll(async () => {
  pair = await startFormats()
  key = await pair.farebox.newKey('plenty')
  const targets = [{ provider: 'responses', model: 'qwen3-coder' }]
  await pair.farebox.admin.call('addModel', { body: chatModel('open', { targets }) })
})
beforeEach(() => pair.upstream.forget())
afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

const send = (body: Json, path = '/v1/responses') => post(pair.farebox, body, { key, path })
const asked = () => pair.upstream.requests.at(-1)?.body as Json
const askedText = () => JSON.stringify(asked())

async function ownKey() {
  const name = `own ${++keys}`
  const { key: own } = await pair.farebox.admin.call('createKey', { body: { name, package: 'plenty' } })
  return { own, usage: () => usageOf(pair.farebox, name) }
}

async function answerOf(response: Response): Promise<Answer> {
  expect(response.status).toBe(200)
  return (await response.json()) as Answer
}

describe.each(WORDY)('at %s', (model) => {
  it('comes as one item, streamed as Codex asks for it', async () => {
    pair.upstream.once({ type: 'answer', text: 'Ada asked. É, "f" ran.' })
    const response = await send({ model, stream: true, store: false, tools: TOOLS, input: [...TALK, TRIGGER] })
    expect(response.status).toBe(200)
    const events = eventData(await response.text()).flatMap((data) =>
      data === '[DONE]' ? [] : [JSON.parse(data) as Json],
    )
    const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item as Item)
    expect(done.map(({ type }) => type)).toEqual(['compaction'])
    expect(done[0]?.encrypted_content).toContain('Ada asked. É, "f" ran.')
    expect(events.map(({ type }) => type)).not.toContain('response.output_text.delta')
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { output: done } })
  })

  it('asks the model in words, with what was said and without letting it call tools', async () => {
    await answerOf(
      await send({ model, store: false, tools: TOOLS, tool_choice: 'required', input: [...TALK, TRIGGER] }),
    )
    for (const text of ['My name is Ada.', 'the result', 'the very next step']) expect(askedText()).toContain(text)
    expect(askedText()).not.toContain('compaction_trigger')
    expect(askedText()).not.toContain('required')
  })

  it('is read back by every model as what it says', async () => {
    pair.upstream.once({ type: 'answer', text: 'Her name is Ada.' })
    const { output } = await answerOf(await send({ model, store: false, input: [...TALK, TRIGGER] }))
    const input = [...output, { role: 'user', content: 'Who am I?' }]
    for (const other of [...WORDY, OPENAI]) {
      await answerOf(await send({ model: other, store: false, input }))
      expect(askedText(), other).toContain('Her name is Ada.')
      expect(askedText(), other).toContain('Who am I?')
      expect(askedText(), other).not.toContain('farebox-summary')
    }
  })

  it('is metered and charged as the answer that it is', async () => {
    const { own, usage } = await ownKey()
    await answerOf(
      await post(pair.farebox, { model, store: false, input: [...TALK, TRIGGER] }, { key: own, path: '/v1/responses' }),
    )
    expect(await usage()).toMatchObject([{ outcome: 'answered', charge_credits: ORDINARY_CHARGE }])
  })

  it.each(['/v1/responses/compact', '/responses/compact', '/v1/responses/compact/'])(
    'comes from %s too',
    async (path) => {
      for (const input of [TALK, 'My name is Ada.']) {
        pair.upstream.once({ type: 'answer', text: 'Her name is Ada.' })
        const { output } = await answerOf(await send({ model, input }, path))
        expect(output.map(({ type }) => type)).toEqual(['compaction'])
        expect(askedText()).toContain('My name is Ada.')
      }
    },
  )

  it('leaves out calls and further texts of a model that does not keep to its words', async () => {
    const toolCalls = [{ id: 'call_2', name: 'f', arguments: '{}' }]
    pair.upstream.once({ type: 'answer', text: 'Ada.', toolCalls })
    const { output } = await answerOf(await send({ model, store: false, tools: TOOLS, input: [...TALK, TRIGGER] }))
    expect(output.map(({ type }) => type)).toEqual(['compaction'])
  })

  it('is never a part of one: a stream that breaks off is asked for again, or ends with an error', async () => {
    for (const afterEvent of [1, 2, 3]) {
      const pieces = ['Her name', ' is ', 'Ada.']
      pair.upstream.once({ type: 'answer', text: pieces.join(''), pieces, cut: { at: { afterEvent }, how: 'reset' } })
      const response = await send({ model, stream: true, store: false, input: [...TALK, TRIGGER] })
      const text = await response.text()
      const isAgain = pair.upstream.requests.length > 1
      expect(text).toContain(isAgain ? 'event: response.completed' : 'event: response.failed')
      expect(text).not.toContain('Her name')
      pair.upstream.forget()
    }
  })
})

describe("a model of OpenAI's at a provider of the same format", () => {
  it('is asked in the words of the format, and its own item goes back to it as it is', async () => {
    await (await send({ model: OPENAI, store: false, input: [...TALK, TRIGGER] })).text()
    expect(asked()).toMatchObject({ input: [...TALK, TRIGGER] })
    const item = { type: 'compaction', encrypted_content: 'gAAAA-theirs' }
    await (await send({ model: OPENAI, store: false, input: [item, TALK[0]] })).text()
    expect(asked()).toMatchObject({ input: [item, TALK[0]] })
  })

  it('is asked the same by the path of its own; others are told that they lost what they cannot read', async () => {
    await (await send({ model: OPENAI, input: TALK }, '/v1/responses/compact')).text()
    expect(asked()).toMatchObject({ input: [...TALK, TRIGGER] })
    const item = { type: 'compaction', encrypted_content: 'gAAAA-theirs' }
    const response = await send({ model: 'messages', store: false, input: [item, TALK[0]] })
    expect(response.headers.get('x-farebox-dropped')).toContain('compaction')
    await response.text()
  })
})

describe('a wish for a summary of nothing', () => {
  it.each([
    ['no input', { model: 'messages' }, 'input'],
    ['an empty input', { model: 'messages', input: [] }, 'input'],
    ['an empty text', { model: 'messages', input: '' }, 'input'],
    ['no model', { input: TALK }, 'model'],
    ['an answer that nobody remembers', { model: 'messages', previous_response_id: 'resp_1' }, 'previous_response_id'],
  ])('is refused for %s, with nothing held or charged', async (_what, body, param) => {
    const { own, usage } = await ownKey()
    const response = await post(pair.farebox, body, { key: own, path: '/v1/responses/compact' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param } })
    expect(await usage()).toEqual([])
  })
})
