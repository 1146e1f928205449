// For whatever a client sends and whichever dialect its provider speaks, both bounds hold what is then written for the provider.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ProviderDialect } from '#core/provider-dialect.ts'
import { isRefusal } from '#core/refusal.ts'
import { readRequest, type EndpointName, type EndpointRequest } from '#pipeline/endpoints.ts'
import { corpus } from '../input-estimates/corpus.ts'
import { OWN } from '../input-estimates/tokenizers.ts'
import { modelOf, providerOf } from './support.ts'

const RUNS = process.env.FAREBOX_LONG_TESTS === undefined ? 60 : 10_000
const CONTEXT = 1_000_000
const DIALECTS: readonly ProviderDialect[] = ['chat-completions', 'messages', 'responses', 'gemini']
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
const talk = fc.record({
  system: text,
  said: fc.array(text, { minLength: 1, maxLength: 5 }),
  tools: fc.array(tool, { maxLength: 3 }),
  calls: fc.array(call, { maxLength: 3 }),
})
type Talk = typeof talk extends fc.Arbitrary<infer Value> ? Value : never

const BODIES: Readonly<Record<Exclude<EndpointName, 'embeddings' | 'gemini-embeddings'>, (talk: Talk) => object>> = {
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

it.each(Object.entries(BODIES))('holds what is written of a request in the format %s', async (format, bodyOf) => {
  await fc.assert(
    fc.asyncProperty(talk, fc.constantFrom(...DIALECTS), async (given, dialect) => {
      const body = JSON.stringify(bodyOf(given))
      const request = readRequest(format as EndpointName, body, Buffer.byteLength(body))
      if (isRefusal(request)) throw new Error(request.message)
      expect(request.inputBounds.references).toEqual([])
      const written = writtenFor(request, dialect)
      if (written === undefined) return
      const most = request.inputBounds.most(CONTEXT)
      const closer = await request.inputBounds.closer((texts) => Promise.resolve(countAll(texts)), CONTEXT)
      expect(most).toBeGreaterThanOrEqual(closer)
      expect(closer).toBeGreaterThanOrEqual(countAll(textsIn(JSON.parse(written))))
    }),
    { numRuns: RUNS },
  )
})

function writtenFor(request: EndpointRequest, dialect: ProviderDialect): string | undefined {
  const [target] = modelOf(dialect).targets
  if (target === undefined) throw new Error('a model has no target')
  const prepared = request.prepare({ provider: providerOf(dialect), target, exchangeId: 'e', nowMs: 0 })
  return isRefusal(prepared) ? undefined : prepared.body(100)
}

function countAll(texts: readonly string[]): number {
  return texts.reduce((sum, item) => sum + (OWN['o200k']?.(item) ?? 0), 0)
}

/** All that a model can be given of a body: its texts, names and numbers. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item)])
  return [String(value)]
}
