// Streams that other gateways gave clients of the messages format and that broke them.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { dataEvents } from '../matrix/answers/fixture.ts'
import { foldStream } from '../matrix/fold.ts'
import {
  at,
  block,
  candidate,
  chatStream,
  chunk,
  events,
  eventTypes,
  messageBlocks,
  messagesStream,
  outcome,
  sent,
  streamed,
  toolDelta,
  whole,
} from './support.ts'

const FROM_CHAT = ['messages', 'chat-completions'] as const
const reason = (text: string) => chunk({ reasoning_content: text })
const content = (text: string) => chunk({ content: text })
const STOP = chunk({}, 'stop')
const TOOLS = chunk({}, 'tool_calls')
const BERN = '{"city":"Bern"}'
const OSLO = '{"city":"Oslo"}'
const bern = (index = 0) => chunk(toolDelta(index, BERN, ['call_bern', 'get_weather']))

const stopReason = (stream: string) =>
  at(
    events(stream).find(({ type }) => type === 'message_delta'),
    'delta',
    'stop_reason',
  )

it('BerriAI/litellm#25212: reasoning is in a thinking block and the first piece behind a change of block is kept', () => {
  const stream = chatStream(reason('Let me '), reason('see.'), content('It is '), content('sunny.'), STOP)
  expect(messageBlocks(streamed(FROM_CHAT, stream))).toEqual(['thinking: Let me see.', 'text: It is sunny.'])
})

it('BerriAI/litellm#26853: no block is begun before something is in it, so that none is empty', () => {
  const first = chunk({ role: 'assistant', content: '' })
  const text = streamed(FROM_CHAT, chatStream(first, reason('Hm.'), content(''), content('Sunny.'), STOP))
  expect(messageBlocks(text)).toEqual(['thinking: Hm.', 'text: Sunny.'])
  expect(messageBlocks(streamed(FROM_CHAT, chatStream(first, content(''), bern(), TOOLS)))).toEqual([
    `tool_use: ${BERN}`,
  ])
})

it('BerriAI/litellm#33224: reasoning that comes behind text is a block of its own', () => {
  const text = streamed(FROM_CHAT, chatStream(reason('a'), content('b'), reason('c'), STOP))
  expect(messageBlocks(text)).toEqual(['thinking: a', 'text: b', 'thinking: c'])
})

it('BerriAI/litellm#32357: message_start comes once, however often the provider begins', () => {
  const begin = chunk({ role: 'assistant', content: '' })
  const text = streamed(FROM_CHAT, chatStream({ ...begin, choices: [] }, begin, begin, content('Hi'), begin, STOP))
  expect(eventTypes(text).filter((type) => type === 'message_start')).toHaveLength(1)
})

it('BerriAI/litellm#32357: a message_start that the provider repeats begins no second answer', () => {
  const once = messagesStream('end_turn', block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi' }))
  const [start = ''] = once.split('\n\n')
  const twice = once.replace(start, `${start}\n\n${start}`)
  const roles = events(streamed(['chat', 'messages'], twice)).filter(
    (event) => at(event, 'choices', 0, 'delta', 'role') !== undefined,
  )
  expect(roles).toHaveLength(1)
  expect(foldStream('chat', streamed(['chat', 'messages'], twice)).text).toBe('Hi')
})

it('musistudio/claude-code-router#1725: reasoning behind a tool call goes into a new block, and each block ends once', () => {
  const text = streamed(FROM_CHAT, chatStream(reason('a'), bern(), reason('b'), TOOLS))
  expect(messageBlocks(text)).toEqual(['thinking: a', `tool_use: ${BERN}`, 'thinking: b'])
  const stops = events(text).filter(({ type }) => type === 'content_block_stop')
  expect(stops.map(({ index }) => index)).toEqual([0, 1, 2])
})

it('ollama/ollama#14816: a tool call right behind reasoning has the next index', () => {
  const text = streamed(FROM_CHAT, chatStream(reason('a'), bern(), TOOLS))
  const starts = events(text).filter(({ type }) => type === 'content_block_start')
  expect(starts.map(({ index, content_block: start }) => [index, at(start, 'type')])).toEqual([
    [0, 'thinking'],
    [1, 'tool_use'],
  ])
})

it('kittors/CliRelay#739: a tool call without a name is no answer, not a block that nobody can run', () => {
  const { failure, text } = outcome(FROM_CHAT, chatStream(chunk(toolDelta(0, BERN, ['call_1', ''])), TOOLS))
  expect(failure?.kind).toBe('malformed')
  expect(text).not.toContain('tool_use')
})

it.each(['chat-completions', 'responses', 'gemini'] as const)(
  'kittors/CliRelay#739: a choice of tool without tools is not sent to %s',
  (provider) => {
    const { text } = sent('messages', provider, { tools: [], tool_choice: { type: 'auto' } })
    expect(text).not.toMatch(/"tool_choice"|"toolConfig"|"tools"/)
  },
)

const ANY_DELTA = fc.oneof(
  fc.constantFrom(reason('r'), content('c'), content(''), chunk({ role: 'assistant' }), reason('')),
  fc
    .record({ index: fc.nat(3), call: fc.nat(3), text: fc.constantFrom('', '{', '}', BERN), isHead: fc.boolean() })
    .map(({ index, call, text, isHead }) =>
      chunk(toolDelta(index, text, isHead ? [`call_${call}`, 'get_weather'] : undefined)),
    ),
)

it('router-for-me/CLIProxyAPI#3720: every delta is for the open block, in whatever order a provider sends', () => {
  fc.assert(
    fc.property(fc.array(ANY_DELTA, { maxLength: 12 }), fc.constantFrom('stop', 'tool_calls'), (deltas, finish) => {
      const { text, failure } = outcome(FROM_CHAT, chatStream(...deltas, chunk({}, finish)))
      // Reading the blocks throws at a delta or a stop that is not of the open block, and at a second start.
      if (failure === undefined) expect(() => messageBlocks(text)).not.toThrow()
      else expect(failure.kind).toBe('malformed')
    }),
  )
})

it('orangeboyChen/codebuddy2api#11: a text block ends before the block of a tool call begins', () => {
  const types = eventTypes(streamed(FROM_CHAT, chatStream(content('Look.'), bern(), TOOLS)))
  expect(types.filter((type) => type.startsWith('content_block_st'))).toEqual([
    'content_block_start',
    'content_block_stop',
    'content_block_start',
    'content_block_stop',
  ])
})

it('maximhq/bifrost#3441: all tool calls of one chunk are there, and one without arguments ends like the others', () => {
  const files = { index: 0, id: 'call_1', type: 'function', function: { name: 'list_files', arguments: '' } }
  const weather = { index: 1, id: 'call_2', type: 'function', function: { name: 'get_weather', arguments: BERN } }
  const text = streamed(FROM_CHAT, chatStream(content('Look.'), chunk({ tool_calls: [files, weather] }), TOOLS))
  expect(messageBlocks(text)).toEqual([
    'text: Look.',
    expect.stringMatching(/^tool_use: (\{\})?$/),
    `tool_use: ${BERN}`,
  ])
})

it('maximhq/bifrost#4890: a passed stream with tools that the provider ran is the same bytes', () => {
  const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
  const said = block(2, { type: 'text', text: '' }, { type: 'text_delta', text: 'Found.' })
  const stream = messagesStream('end_turn', block(0, use), block(1, found), said)
  expect(streamed(['messages', 'messages'], stream)).toBe(stream)
})

it('lich0821/ccNexus#89: tool calls that all have index 0 but ids of their own are calls of their own', () => {
  const oslo = chunk(toolDelta(0, OSLO, ['call_oslo', 'get_weather']))
  expect(messageBlocks(streamed(FROM_CHAT, chatStream(bern(0), oslo, TOOLS)))).toEqual([
    `tool_use: ${BERN}`,
    `tool_use: ${OSLO}`,
  ])
})

it('BerriAI/litellm#15307: parallel tool calls whose arguments come interleaved each get their own', () => {
  const stream = chatStream(
    chunk(toolDelta(0, '{"city":', ['call_bern', 'get_weather'])),
    chunk(toolDelta(1, '{"city":', ['call_oslo', 'get_weather'])),
    chunk(toolDelta(0, '"Bern"}')),
    chunk(toolDelta(1, '"Oslo"}')),
    TOOLS,
  )
  expect(messageBlocks(streamed(FROM_CHAT, stream))).toEqual([`tool_use: ${BERN}`, `tool_use: ${OSLO}`])
})

it('andrewyng/aisuite#386: all tool calls of a whole message are in the chat completion', () => {
  const calls = ['a', 'b', 'c'].map((id) => ({ type: 'tool_use', id, name: 'get_weather', input: { city: id } }))
  const message = { id: 'msg_1', type: 'message', role: 'assistant', content: calls, stop_reason: 'tool_use' }
  const usage = { input_tokens: 40, output_tokens: 12 }
  const completion = whole(['chat', 'messages'], { ...message, usage })
  const ids = at(completion, 'choices', 0, 'message', 'tool_calls')
  expect(ids).toMatchObject([{ id: 'a' }, { id: 'b' }, { id: 'c' }])
})

it('vllm-project/vllm#34053: the id of a message is one of messages, not the id of the chat completion', () => {
  const [start] = events(streamed(FROM_CHAT, chatStream(content('Hi'), STOP)))
  expect(at(start, 'message', 'id')).toMatch(/^msg_[A-Za-z0-9]+$/)
})

it('vllm-project/vllm#34053: a tool result in blocks is sent as its text', () => {
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'Sunny' }] }
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }] },
    { role: 'user', content: [result] },
  ]
  const { body } = sent('messages', 'chat-completions', { messages })
  expect(at(body, 'messages', -1)).toEqual({ role: 'tool', tool_call_id: 'toolu_1', content: 'Sunny' })
})

it('vllm-project/vllm#34053: a whole answer without text has no empty text block', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: BERN } }
  const message = { role: 'assistant', content: '', tool_calls: [call] }
  const answer = whole(FROM_CHAT, { ...chunk({}), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })
  expect(answer['content']).toMatchObject([{ type: 'tool_use', input: { city: 'Bern' } }])
})

it('vllm-project/vllm#34053: arguments in the first chunk of a tool call are kept', () => {
  const rest = chunk(toolDelta(0, '"Bern"}'))
  const stream = chatStream(chunk(toolDelta(0, '{"city":', ['call_1', 'get_weather'])), rest, TOOLS)
  expect(messageBlocks(streamed(FROM_CHAT, stream))).toEqual([`tool_use: ${BERN}`])
})

it('BerriAI/litellm#25561: a call that Gemini gives in one chunk has its arguments in a delta', () => {
  const call = { functionCall: { name: 'get_weather', args: { city: 'Bern' } } }
  const text = streamed(['messages', 'gemini'], dataEvents(candidate([call], 'STOP')))
  expect(messageBlocks(text)).toEqual([`tool_use: ${BERN}`])
  expect(text).toContain('input_json_delta')
})

it('router-for-me/CLIProxyAPI#5836: a tool call that the limit cut off ends in max_tokens, and whole answers leave it out', () => {
  const text = streamed(
    FROM_CHAT,
    chatStream(chunk(toolDelta(0, '{"ci', ['call_1', 'get_weather'])), chunk({}, 'length')),
  )
  expect(stopReason(text)).toBe('max_tokens')
  const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"ci' } }
  const message = { role: 'assistant', content: 'Look.', tool_calls: [call] }
  const answer = whole(FROM_CHAT, { ...chunk({}), choices: [{ index: 0, message, finish_reason: 'length' }] })
  expect(answer).toMatchObject({ stop_reason: 'max_tokens', content: [{ type: 'text', text: 'Look.' }] })
})

it('weave-os/router#250: an answer with tool calls ends in tool_use, also where the provider says stop', () => {
  expect(stopReason(streamed(FROM_CHAT, chatStream(bern(), STOP)))).toBe('tool_use')
})

it('ENTERPILOT/GoModel#964: a thinking block that nobody signed has an empty signature and no signature_delta', () => {
  const text = streamed(FROM_CHAT, chatStream(reason('Hm.'), content('Sunny.'), STOP))
  const start = events(text).find(({ type }) => type === 'content_block_start')
  expect(start).toMatchObject({ content_block: { type: 'thinking', thinking: '', signature: '' } })
  expect(text).not.toContain('signature_delta')
})

it('ollama/ollama#15287: a client that did not ask for thinking gets none', () => {
  const text = streamed(FROM_CHAT, chatStream(reason('Hm.'), content('Sunny.'), STOP), {})
  expect(messageBlocks(text)).toEqual(['text: Sunny.'])
})
