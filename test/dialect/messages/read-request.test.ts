import { describe, expect, it } from 'vitest'
import { isRefusal } from '#core/refusal.ts'
import { editMessagesRequest } from '#dialect/messages/edit-request.ts'
import { readCountRequest, readMessagesRequest } from '#dialect/messages/read-request.ts'
import { UNMENDED } from '#dialect/mended.ts'
import { mendMessagesPass } from '#dialect/messages/mend-pass.ts'
import { QUIRKS, readRequest, requestText, type Members } from './requests.ts'

const read = (text: string) => readMessagesRequest(text, Buffer.byteLength(text))
const HI = { role: 'user', content: 'Hi' }

describe('a request in the messages format is refused', () => {
  it.each([
    ['model', { model: undefined }],
    ['model', { model: '' }],
    ['model', { model: 5 }],
    ['messages', { messages: undefined }],
    ['messages', { messages: null }],
    ['messages', { messages: [] }],
    ['messages', { messages: 'Hi' }],
    ['messages[0]', { messages: ['Hi'] }],
    ['messages[1]', { messages: [HI, null] }],
    ['messages[0].role', { messages: [{ content: 'Hi' }] }],
    ['messages[0].role', { messages: [{ role: 'tool', content: 'Hi' }] }],
    ['messages[0].content', { messages: [{ role: 'user' }] }],
    ['messages[0].content', { messages: [{ role: 'user', content: null }] }],
    ['messages[0].content', { messages: [{ role: 'user', content: 5 }] }],
    ['messages[0].content', { messages: [{ role: 'user', content: ['Hi'] }] }],
    ['max_tokens', { max_tokens: undefined }],
    ['max_tokens', { max_tokens: null }],
    ['max_tokens', { max_tokens: 0 }],
    ['max_tokens', { max_tokens: 1.5 }],
    ['max_tokens', { max_tokens: '100' }],
    ['temperature', { temperature: 1.1 }],
    ['temperature', { temperature: -0.1 }],
    ['top_p', { top_p: 2 }],
    ['stream', { stream: 'true' }],
    ['system', { system: 5 }],
    ['system', { system: ['Be brief.'] }],
    ['tools', { tools: {} }],
    ['tools', { tools: ['search'] }],
    ['tool_choice', { tool_choice: 'auto' }],
    ['tool_choice', { tool_choice: { type: 'required' } }],
    ['tool_choice.name', { tool_choice: { type: 'tool' } }],
    ['tool_choice.name', { tool_choice: { type: 'tool', name: '' } }],
  ])("for a wrong '%s': %j", (param, members) => {
    expect(read(requestText(members))).toMatchObject({ type: 'refusal', code: 'invalid_request', param })
  })

  it('for what is not a JSON object', () => {
    for (const text of ['', '{', '[]', 'null', '"x"', '['.repeat(100)]) {
      expect(read(text)).toMatchObject({ code: 'invalid_request' })
    }
  })
})

describe('a request in the messages format', () => {
  it('tells what routing and metering need', () => {
    expect(read(requestText({ stream: true, max_tokens: 7 }))).toMatchObject({
      model: 'm',
      isStream: true,
      outputCap: 7,
      outputCapName: 'max_tokens',
      choices: 1,
      wantsUsage: true,
    })
  })

  it.each([
    { messages: [HI, { role: 'system', content: [{ type: 'text', text: 'x' }] }] },
    { temperature: 0, top_p: 1, system: 'x', tools: [], tool_choice: { type: 'none' } },
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }], tool_choice: { type: 'tool', name: 'web_search' } },
    { temperature: null, tool_choice: null, novelty: { deep: [1] }, messages: [{ role: 'user', content: [] }] },
  ])('may have %j', (members) => {
    expect(isRefusal(read(requestText(members)))).toBe(false)
  })

  it('needs no cap where only its input is counted', () => {
    const text = requestText({ max_tokens: undefined })
    expect(readCountRequest(text, text.length)).toMatchObject({ model: 'm', outputCap: undefined })
    expect(readCountRequest(requestText({ max_tokens: 0 }), 1)).toMatchObject({ param: 'max_tokens' })
  })
})

describe('a request that is passed on', () => {
  const edit = (members: Members, edits: { model?: string; cap?: number } = {}) => {
    const read = readRequest(requestText(members))
    const target = { upstreamModel: edits.model ?? 'm', quirks: QUIRKS }
    const mended = mendMessagesPass(read, target)
    const cap = { outputCap: edits.cap, outputCapField: 'max_completion_tokens' } as const
    return editMessagesRequest(read, { ...target, ...cap, mended })
  }
  const edited = (...args: Parameters<typeof edit>): unknown => JSON.parse(edit(...args))

  it('stays byte for byte where nothing has to change', () => {
    const text = `{ "model": "m", "max_tokens":100.0, "messages":[{"role":"user","content":"\\u00e9 é"}],\n"x": 1e2 }`
    const edits = {
      upstreamModel: 'm',
      outputCap: 100,
      outputCapField: 'max_tokens',
      quirks: QUIRKS,
      mended: UNMENDED,
    } as const
    expect(editMessagesRequest(readRequest(text), edits)).toBe(text)
    expect(editMessagesRequest(readRequest(text), { ...edits, outputCap: undefined })).toBe(text)
  })

  it('changes the model and the cap, and nothing else', () => {
    const members = { x: [1], thinking: { type: 'adaptive' }, temperature: 1 }
    const before = requestText(members)
    expect(edit(members, { model: 'claude-y', cap: 50 })).toBe(
      before.replace('"m"', '"claude-y"').replace('"max_tokens":100', '"max_tokens":50'),
    )
  })

  const thinking = { type: 'enabled', budget_tokens: 5000, display: 'omitted' }

  it('lowers a thinking budget that a lowered cap passes', () => {
    expect(edited({ max_tokens: 8000, thinking }, { cap: 2000 })).toMatchObject({
      max_tokens: 2000,
      thinking: { type: 'enabled', budget_tokens: 1999, display: 'omitted' },
    })
    expect(edited({ max_tokens: 8000, thinking }, { cap: 6000 })).toMatchObject({ thinking })
  })

  it('turns thinking off where the cap leaves no room, with the edits that need it', () => {
    const edits = [{ type: 'clear_thinking_20251015' }, { type: 'clear_tool_uses_20250919' }]
    const members = { max_tokens: 8000, thinking, context_management: { edits } }
    expect(edited(members, { cap: 1024 })).toMatchObject({
      max_tokens: 1024,
      thinking: { type: 'disabled' },
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
    })
  })

  it('leaves a budget alone that was above the cap before', () => {
    expect(edited({ max_tokens: 5000, thinking }, { cap: 2000 })).toMatchObject({ max_tokens: 2000, thinking })
  })

  const foreign = [
    HI,
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'a', signature: '' },
        { type: 'thinking', thinking: 'b', signature: 'farebox1.gemini.xyz' },
        { type: 'thinking', thinking: 'c', signature: 'real' },
        { type: 'redacted_thinking', data: 'farebox1.responses.xyz' },
        {
          type: 'text',
          text: 'Hi',
          citations: [{ type: 'web_search_result_location', url: 'u', encrypted_index: '' }],
        },
      ],
    },
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'a', signature: '' }] },
    { role: 'user', content: 'say "signature":""' },
  ]

  it('loses thinking that Anthropic did not sign, when it goes to one of its models', () => {
    const messages = [
      HI,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'c', signature: 'real' },
          { type: 'text', text: 'Hi' },
        ],
      },
      { role: 'user', content: 'say "signature":""' },
    ]
    expect(edited({ messages: foreign }, { model: 'claude-sonnet-5' })).toMatchObject({ messages })
  })

  it('loses only our own wrappings when it goes to a model that signs nothing', () => {
    const kept = foreign[1]?.content
    const messages = edited({ messages: foreign }, { model: 'glm-5' }) as { messages: unknown }
    expect(messages.messages).toEqual([
      HI,
      { role: 'assistant', content: [kept?.[0], kept?.[2], kept?.[4]] },
      foreign[2],
      foreign[3],
    ])
  })
})
