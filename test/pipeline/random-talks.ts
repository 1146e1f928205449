// Conversations that nobody thought of, in the words of each client format.

import fc from 'fast-check'
import type { ClientFormat } from '#dialect/dialects.ts'
import { corpus } from '../input-estimates/corpus.ts'

const KINDS = [...corpus().values()]

const text = fc
  .tuple(fc.constantFrom(...KINDS), fc.nat(500), fc.integer({ min: 1, max: 700 }))
  .map(([kind, from, length]) => kind.slice(from, from + length).toWellFormed())
const name = fc.stringMatching(/^[a-z_]{3,20}$/)
const json = fc.dictionary(
  name,
  fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.array(fc.nat())),
)
const properties = fc.dictionary(name, fc.record({ type: fc.constant('string'), description: text }))
const schema = properties.map((given) => ({ type: 'object', properties: given }))
const tool = fc.record({ name, description: text, schema })
const call = fc.record({ name, input: json, result: text })
export const TALK = fc.record({
  system: text,
  said: fc.array(text, { minLength: 1, maxLength: 5 }),
  tools: fc.array(tool, { maxLength: 3 }),
  calls: fc.array(call, { maxLength: 3 }),
})
type Talk = typeof TALK extends fc.Arbitrary<infer Value> ? Value : never

/** What clients of each format send of a conversation. */
export const BODIES: Readonly<Record<ClientFormat, (talk: Talk) => object>> = {
  chat: ({ system, said, tools, calls }) => ({
    model: 'm',
    messages: [
      { role: 'system', content: system },
      ...said.map((content, index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: [{ type: 'text', text: content }],
      })),
      ...calls.flatMap(({ name: called, input, result }, index) => [
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: `c${index}`, type: 'function', function: { name: called, arguments: JSON.stringify(input) } },
          ],
        },
        { role: 'tool', tool_call_id: `c${index}`, content: result },
      ]),
    ],
    tools: tools.map(({ schema: parameters, ...others }) => ({
      type: 'function',
      function: { ...others, parameters },
    })),
  }),
  messages: ({ system, said, tools, calls }) => ({
    model: 'm',
    max_tokens: 100,
    system,
    messages: [
      ...said.map((content) => ({ role: 'user', content })),
      ...calls.flatMap(({ name: called, input, result }, index) => [
        { role: 'assistant', content: [{ type: 'tool_use', id: `c${index}`, name: called, input }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${index}`, content: result }] },
      ]),
    ],
    tools: tools.map(({ schema: inputSchema, ...others }) => ({ ...others, input_schema: inputSchema })),
  }),
  responses: ({ system, said, tools, calls }) => ({
    model: 'm',
    instructions: system,
    input: [
      ...said.map((content) => ({ role: 'user', content })),
      ...calls.flatMap(({ name: called, input, result }, index) => [
        { type: 'function_call', call_id: `c${index}`, name: called, arguments: JSON.stringify(input) },
        { type: 'function_call_output', call_id: `c${index}`, output: result },
      ]),
    ],
    tools: tools.map(({ schema: parameters, ...others }) => ({ type: 'function', ...others, parameters })),
  }),
  gemini: ({ system, said, tools, calls }) => ({
    model: 'm',
    systemInstruction: { parts: [{ text: system }] },
    contents: [
      ...said.map((content) => ({ role: 'user', parts: [{ text: content }] })),
      ...calls.flatMap(({ name: called, input, result }) => [
        { role: 'model', parts: [{ functionCall: { name: called, args: input } }] },
        { role: 'user', parts: [{ functionResponse: { name: called, response: { output: result } } }] },
      ]),
    ],
    tools: [
      {
        functionDeclarations: tools.map(({ schema: parametersJsonSchema, ...others }) => ({
          ...others,
          parametersJsonSchema,
        })),
      },
    ],
  }),
}
