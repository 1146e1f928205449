// What is mended in requests that pass through: what another provider left in them, and nothing else.

import { describe, expect, it } from 'vitest'
import { isRefusal } from '#core/refusal.ts'
import type { ClientFormat } from '#dialect/dialects.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { sealed } from './requests/gemini.ts'
import { sendText, type ProviderName, type Variant } from './pair.ts'

const SAME: Readonly<Record<ClientFormat, ProviderName>> = {
  chat: 'chat-completions',
  messages: 'messages',
  responses: 'responses',
  gemini: 'gemini',
}
const EXACT = '{"n":12345678901234567890, "é":"\\u00e9"}'

/** The list of messages or items as it is sent, and what is named as dropped. */
function passed(client: ClientFormat, items: string, rest: JsonObject = {}, variant: Variant = {}) {
  const model =
    variant.model ??
    { chat: 'acme-large', messages: 'claude-opus-4-6', responses: 'gpt-5.5', gemini: 'gemini-3-pro' }[client]
  const name = { chat: 'messages', messages: 'messages', responses: 'input', gemini: 'contents' }[client]
  const text = `${JSON.stringify({ model: 'farebox-model', max_tokens: 4000, ...rest }).slice(0, -1)},"${name}":${items}}`
  const sent = sendText({ client, provider: SAME[client], name: client }, text, { ...variant, model })
  if (isRefusal(sent)) throw new Error(sent.message)
  const body = JSON.parse(sent.body) as JsonObject
  return { items: body[name], body, text: sent.body, dropped: sent.prepared.dropped }
}

const USER = { role: 'user', content: 'Hello' }
const list = (...items: readonly unknown[]) => JSON.stringify(items)

describe('items of the responses format', () => {
  const call = { type: 'function_call', call_id: 'c1', name: 'wx', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'c1', output: 'ok' }
  const reasoning = (members: JsonObject) => ({ type: 'reasoning', summary: [], ...members })
  const OWN = 'rs_01a1fc79d4e67000857ca4383ac1ac29_0'

  it.each([
    ['a seal of another dialect', reasoning({ id: 'rs_1', encrypted_content: 'farebox1.messages.c2ln' })],
    ['the seal of a call', reasoning({ id: OWN, encrypted_content: 'farebox1.gemini.call:c2ln' })],
    ['no seal', reasoning({ id: 'rs_1', encrypted_content: null })],
    ['no seal and no id', reasoning({})],
    ['an empty seal', reasoning({ encrypted_content: '' })],
  ])('lose reasoning with %s, and its name is told', (_, item) => {
    const { items, dropped } = passed('responses', list(USER, item, call, output), { store: false })
    expect(items).toEqual([USER, call, output])
    expect(dropped).toEqual(['earlier reasoning'])
  })

  it('keep what their provider sealed, and what it keeps', () => {
    const own = reasoning({ id: 'rs_68af', encrypted_content: 'gAAAAABo' })
    for (const store of [false, true]) {
      const { items, dropped } = passed('responses', list(USER, own, call, output), { store })
      expect(items).toEqual([USER, own, call, output])
      expect(dropped).toEqual([])
    }
    const kept = reasoning({ id: 'rs_68af' })
    expect(passed('responses', list(USER, kept, call, output)).items).toEqual([USER, kept, call, output])
    const written = reasoning({ id: OWN, encrypted_content: null })
    expect(passed('responses', list(USER, written, call, output)).items).toEqual([USER, call, output])
  })

  it('keep the reasoning that servers of open models show, for them', () => {
    const shown = reasoning({ id: 'rs_1', content: [{ type: 'reasoning_text', text: 'Hm' }] })
    const rest = { store: false }
    expect(
      passed('responses', list(USER, shown, call, output), rest, { model: 'openai/gpt-oss-20b' }).items,
    ).toContainEqual(shown)
    expect(passed('responses', list(USER, shown, call, output), rest).items).not.toContainEqual(shown)
  })

  it('are answers in plain text for servers that want all members of them', () => {
    const part = { type: 'output_text', text: 'Hi' }
    const answer = {
      type: 'message',
      role: 'assistant',
      phase: 'final_answer',
      content: [part, { ...part, text: '!' }],
    }
    const whole = { ...answer, id: 'msg_1', status: 'completed', content: [{ ...part, annotations: [] }] }
    const { items, dropped } = passed('responses', list(USER, answer, whole), {}, { model: 'acme-large' })
    expect(items).toEqual([USER, { type: 'message', role: 'assistant', phase: 'final_answer', content: 'Hi!' }, whole])
    expect(dropped).toEqual([])
    expect(passed('responses', list(USER, answer, whole)).items).toEqual([USER, answer, whole])
  })

  it('keep outputs whose call the provider has', () => {
    const text = list({ ...output, call_id: 'functions.sh:0' })
    expect(passed('responses', text, { previous_response_id: 'resp_1' }).text).toContain(text)
  })
})

describe('contents of the Gemini format', () => {
  const user = (...parts: readonly JsonObject[]) => ({ role: 'user', parts })
  const model = (...parts: readonly JsonObject[]) => ({ role: 'model', parts })
  const call = { functionCall: { name: 'wx', args: {} } }
  const result = user({ functionResponse: { name: 'wx', response: { output: 'ok' } } })
  const HI = user({ text: 'Hi' })
  const OWN = 'c2lnbmVk'
  const SENTINEL = 'skip_thought_signature_validator'
  const foreign = sealed('messages.c2ln')

  it('lose what other dialects sealed, and its name is told', () => {
    const answer = model(
      { text: 'Hm', thought: true, thoughtSignature: foreign },
      { text: 'I look.', thoughtSignature: foreign },
      { ...call, thought_signature: foreign },
      { ...call, thoughtSignature: sealed(`gemini.${OWN}`) },
    )
    const old = { model: 'gemini-2.5-pro' }
    const { items, dropped } = passed('gemini', list(HI, answer, result), {}, old)
    expect(items).toEqual([HI, model({ text: 'I look.' }, call, { ...call, thoughtSignature: OWN }), result])
    expect(dropped).toEqual(['earlier reasoning', 'thinking signature'])
  })

  it('lose a turn that was nothing else', () => {
    const answer = model({ text: '', thought: true, thoughtSignature: foreign })
    expect(passed('gemini', list(HI, answer, HI)).items).toEqual([HI, HI])
  })

  it('are given the sign that Google documents for calls of the present turn that nobody signed', () => {
    const answer = model({ ...call, thoughtSignature: foreign }, call)
    const earlier = [HI, model(call), result]
    const { items } = passed('gemini', list(...earlier, HI, answer, result, model(call), result))
    const signed = { ...call, thoughtSignature: SENTINEL }
    expect(items).toEqual([...earlier, HI, model(signed, call), result, model(signed), result])
  })

  it('keep every value beside what is taken out, and Geminis own signatures', () => {
    const own = JSON.stringify(model({ ...call, thoughtSignature: OWN }))
    const text = `[${JSON.stringify(HI)}, ${own}, {"role":"user","parts":[{"functionResponse":{"name":"wx","response":${EXACT}}}]}]`
    expect(passed('gemini', text).text).toContain(text)
    const mended = passed('gemini', text.replace(OWN, foreign))
    expect(mended.text).toContain(EXACT)
    expect(mended.text).not.toContain(foreign)
  })
})

describe('chat messages', () => {
  const called = { type: 'function', function: { name: 'wx', arguments: '{}' } }
  const seal = (value: string) => ({ extra_content: { google: { thought_signature: value } } })
  const detail = (signature: string) => ({ type: 'reasoning.text', text: 'Hm', signature })

  it('lose the seals of other dialects, and keep those of their own', () => {
    const foreign = { id: 'c1', ...called, ...seal('farebox1.gemini.c2ln') }
    const own = { id: 'c2', ...called, ...seal('c2ln') }
    const answer = {
      role: 'assistant',
      content: null,
      reasoning_details: [
        detail('farebox1.messages.c2ln'),
        detail('c2ln'),
        { type: 'reasoning.encrypted', data: 'farebox1.responses.a' },
      ],
      tool_calls: [foreign, own],
    }
    const results = ['c1', 'c2'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'ok' }))
    const { items, dropped } = passed('chat', list(USER, answer, ...results))
    expect(items).toEqual([
      USER,
      { ...answer, reasoning_details: [detail('c2ln')], tool_calls: [{ id: 'c1', ...called }, own] },
      ...results,
    ])
    expect(dropped).toEqual(['earlier reasoning', 'thinking signature'])
  })

  it('lose the member of which nothing is left', () => {
    const answer = { role: 'assistant', content: 'Hi', reasoning_details: [detail('farebox1.messages.c2ln')] }
    expect(passed('chat', list(USER, answer, USER)).items).toEqual([USER, { role: 'assistant', content: 'Hi' }, USER])
  })

  it.each([
    ['OpenAI', 'gpt-5.5', {}, 'functions_sh_0', 'x'.repeat(40)],
    ['others', 'acme-large', {}, 'functions_sh_0', 'x'.repeat(46)],
    ['Kimi', 'moonshotai/kimi-k2', {}, 'functions.sh:0', 'x'.repeat(46)],
  ])('have ids that are taken by %s', (_, model, quirks, odd, long) => {
    const ids = ['functions.sh:0', 'x'.repeat(46)]
    const answer = { role: 'assistant', content: null, tool_calls: ids.map((id) => ({ id, ...called })) }
    const results = ids.map((id) => ({ role: 'tool', tool_call_id: id, content: id }))
    const { items } = passed('chat', list(USER, answer, ...results), {}, { model, quirks })
    expect(items).toMatchObject([
      {},
      { tool_calls: [{ id: odd }, { id: long }] },
      { tool_call_id: odd },
      { tool_call_id: long },
    ])
  })

  it('have ids of nine letters and digits for Mistral', () => {
    const answer = { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', ...called }] }
    const text = list(USER, answer, { role: 'tool', tool_call_id: 'call_1', content: 'ok' })
    const [, { tool_calls: calls } = {}, result] = passed('chat', text, {}, { quirks: { toolIds: 'alphanumeric-9' } })
      .items as { tool_calls?: { id: string }[]; tool_call_id?: string }[]
    expect(calls?.[0]?.id).toMatch(/^[a-z0-9]{9}$/)
    expect(result?.tool_call_id).toBe(calls?.[0]?.id)
  })
})

describe('messages', () => {
  const THINKING = { thinking: { type: 'enabled', budget_tokens: 2000 } }
  const ADAPTIVE = { thinking: { type: 'adaptive' } }
  const use = (id: string, input = '{}') => `{"type":"tool_use","id":"${id}","name":"wx","input":${input}}`
  const answer = (...blocks: readonly string[]) => `{"role":"assistant","content":[${blocks.join(',')}]}`
  const result = (...ids: readonly string[]) => ({
    role: 'user',
    content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: id })),
  })
  const text = (...items: readonly (JsonObject | string)[]) =>
    `[${items.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join(',')}]`
  const own = '{"type":"thinking","thinking":"Hm","signature":"c2ln"}'
  const foreign = '{"type":"thinking","thinking":"Hm","signature":"farebox1.responses.gAAA"}'

  it('keep every value beside an id that is replaced', () => {
    const given = text(USER, answer(use('c', EXACT)), result('c'), answer(use('c', EXACT)), result('c'))
    const { items, text: sent } = passed('messages', given)
    expect(sent.split(EXACT)).toHaveLength(3)
    expect(items).toMatchObject([
      {},
      { content: [{ id: 'c' }] },
      { content: [{ tool_use_id: 'c' }] },
      { content: [{ id: 'c_2' }] },
      { content: [{ tool_use_id: 'c_2' }] },
    ])
  })

  it('pair calls of equal ids side by side with their results in order', () => {
    const given = text(USER, answer(use('a.b'), use('a.b')), result('a.b', 'a.b'), answer(use('a.b')), result('a.b'))
    expect(passed('messages', given).items).toMatchObject([
      {},
      { content: [{ id: 'a_b' }, { id: 'a_b_2' }] },
      { content: [{ tool_use_id: 'a_b' }, { tool_use_id: 'a_b_2' }] },
      { content: [{ id: 'a_b_3' }] },
      { content: [{ tool_use_id: 'a_b_3' }] },
    ])
  })

  it.each([
    [
      'a turn of another provider',
      [answer(foreign, use('call_1')), result('call_1')],
      ['earlier reasoning', 'reasoning'],
    ],
    ['a turn without reasoning', [answer(use('toolu_1')), result('toolu_1')], ['reasoning']],
    [
      'a turn of another provider behind one of its own',
      [answer(own, use('toolu_1')), result('toolu_1'), answer(use('call_1')), result('call_1')],
      ['reasoning'],
    ],
  ])('go on without thinking in a loop that was begun with %s', (_, turns, names) => {
    const rest = {
      ...THINKING,
      context_management: { edits: [{ type: 'clear_thinking_20251015' }, { type: 'clear_tool_uses_20250919' }] },
    }
    const { body, dropped } = passed('messages', text(USER, ...turns), rest)
    expect(body).toMatchObject({
      thinking: { type: 'disabled' },
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
    })
    expect(dropped).toEqual(names)
  })

  it.each([
    ['with a turn of its own', [answer(own, use('toolu_1')), result('toolu_1')], THINKING],
    [
      'with thinking at its begin alone',
      [answer(own, use('toolu_1')), result('toolu_1'), answer(use('toolu_2')), result('toolu_2')],
      THINKING,
    ],
    ['in which the model chose not to think', [answer(use('toolu_1')), result('toolu_1')], ADAPTIVE],
    ['that is over', [answer(use('call_1')), result('call_1'), answer('{"type":"text","text":"Hi"}'), USER], THINKING],
  ])('go on with thinking in a loop %s', (_, turns, thinking) => {
    const given = text(USER, ...turns)
    const sent = passed('messages', given, thinking)
    expect(sent.body).toMatchObject(thinking)
    expect(sent.text).toContain(given)
    expect(sent.dropped).toEqual([])
  })

  it('stay without thinking to the end of a loop that changed its provider', () => {
    const turns = [answer(foreign, use('call_1')), result('call_1'), answer(use('toolu_1')), result('toolu_1')]
    for (const thinking of [THINKING, ADAPTIVE]) {
      expect(passed('messages', text(USER, ...turns), thinking).body).toMatchObject({ thinking: { type: 'disabled' } })
    }
  })
})
