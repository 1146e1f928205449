import { describe, expect, it } from 'vitest'
import { answerReader, wholeAnswer } from '#renderer/data/try-answer.ts'
import { requestOf } from '#renderer/data/try-request.ts'
import { EXAMPLE_TOOL, prettyInput, readTools } from '#renderer/data/try-tools.ts'

const FORMATS = ['chat', 'messages', 'responses', 'gemini'] as const
const CALL = { id: 'c1', name: 'get_weather', input: '{"city":"Oslo"}' }
const STEP = { text: 'I look.', calls: [CALL], results: ['7 degrees'] }
const { name, description, parameters } = EXAMPLE_TOOL

describe('tools that are typed', () => {
  it('are one or several, in the form of any format', () => {
    const inMessages = { name, description, input_schema: parameters }
    for (const typed of [EXAMPLE_TOOL, [EXAMPLE_TOOL], { type: 'function', function: EXAMPLE_TOOL }, inMessages]) {
      expect(readTools(JSON.stringify(typed))).toEqual([EXAMPLE_TOOL])
    }
    expect(readTools('  ')).toEqual([])
    expect(readTools('{"name":"now"}')).toEqual([{ name: 'now', parameters: { type: 'object', properties: {} } }])
  })

  it.each(['{', '7', 'null', '{}', '[{"name":"a"},7]', '{"name":"a b"}', '{"name":"a","parameters":7}'])(
    'are none: %s',
    (typed) => {
      expect(readTools(typed)).toBeUndefined()
    },
  )
})

describe('a request with tools', () => {
  const turn = { prompt: 'Hi', image: undefined, steps: [STEP], answer: undefined }
  const sent = (format: (typeof FORMATS)[number]) =>
    requestOf({ format, model: 'm', system: '', turns: [turn], tools: [EXAMPLE_TOOL], isStream: false, outputCap: 9 })
  const input = { city: 'Oslo' }

  it('names them, and has what was called and given, as each format has it', () => {
    expect(sent('chat')).toMatchObject({
      tools: [{ type: 'function', function: EXAMPLE_TOOL }],
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: CALL.input } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: '7 degrees' },
      ],
    })
    expect(sent('messages')).toMatchObject({
      tools: [{ name, description, input_schema: parameters }],
      messages: [
        { role: 'user' },
        { role: 'assistant', content: [{ type: 'text' }, { type: 'tool_use', id: 'c1', name, input }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: '7 degrees' }] },
      ],
    })
    expect(sent('responses')).toMatchObject({
      tools: [{ type: 'function', name, description, parameters }],
      input: [
        { role: 'user' },
        { role: 'assistant', content: 'I look.' },
        { type: 'function_call', call_id: 'c1', name, arguments: CALL.input },
        { type: 'function_call_output', call_id: 'c1', output: '7 degrees' },
      ],
    })
    expect(sent('gemini')).toMatchObject({
      tools: [{ functionDeclarations: [EXAMPLE_TOOL] }],
      contents: [
        { role: 'user' },
        { role: 'model', parts: [{ text: 'I look.' }, { functionCall: { id: 'c1', name, args: input } }] },
        { role: 'user', parts: [{ functionResponse: { id: 'c1', name, response: { result: '7 degrees' } } }] },
      ],
    })
  })
})

const WHOLE = {
  chat: {
    choices: [{ message: { content: null, tool_calls: [{ id: 'c1', function: { name, arguments: CALL.input } }] } }],
  },
  messages: { content: [{ type: 'tool_use', id: 'c1', name, input: { city: 'Oslo' } }] },
  responses: { output: [{ type: 'function_call', call_id: 'c1', name, arguments: CALL.input }] },
  gemini: { candidates: [{ content: { parts: [{ functionCall: { id: 'c1', name, args: { city: 'Oslo' } } }] } }] },
}

const [half, rest] = [CALL.input.slice(0, 6), CALL.input.slice(6)]
const delta = (call: object) => ({ choices: [{ delta: { tool_calls: [call] } }] })
const STREAMED = {
  chat: [
    delta({ index: 0, id: 'c1', function: { name, arguments: '' } }),
    delta({ index: 0, function: { arguments: half } }),
    delta({ index: 0, function: { arguments: rest } }),
  ],
  messages: [
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c1', name, input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: half } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: rest } },
  ],
  responses: [
    { type: 'response.function_call_arguments.delta', delta: half },
    { type: 'response.output_item.done', item: WHOLE.responses.output[0] },
  ],
  gemini: [WHOLE.gemini],
}

describe('calls in an answer', () => {
  it.each(FORMATS)('are read whole and in pieces, in the format of %s', (format) => {
    expect(wholeAnswer(format, JSON.stringify(WHOLE[format]))?.calls).toEqual([CALL])
    const read = answerReader(format)
    const answers = STREAMED[format].map((event) => read(`data: ${JSON.stringify(event)}\n\n`))
    expect(answers.at(-1)?.calls).toEqual([CALL])
    expect(answers.at(-1)?.text).toBe('')
  })

  it('are shown as JSON with an indent, or as they came', () => {
    expect(prettyInput('{"a":1}')).toBe('{\n  "a": 1\n}')
    expect(prettyInput('{"a"')).toBe('{"a"')
  })
})
