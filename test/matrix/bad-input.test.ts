// Bad requests at every provider: refused with the member that is wrong, or mended. Never an exception, never for long.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { ClientFormat } from '#dialect/dialects.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { measured } from '../support/cpu-time.ts'
import { compactJson } from './compact-json.ts'
import { goldenFile } from './golden.ts'
import { CLIENTS, readBody, send, sendRead, TRANSLATED_PAIRS, type Pair, type Sent } from './pair.ts'
import { checkProviderRules } from './provider-rules.ts'
import { BAD_REQUESTS } from './requests/bad.ts'
import { REQUESTS } from './requests/all.ts'
import { cases } from '../support/cases.ts'

/** Of processor time: much more than any of these needs. Quadratic time takes minutes. */
const LIMIT_MS = 4_000
const IMAGE_MB = cases(8, 20, 20)

for (const client of CLIENTS) {
  const cases = BAD_REQUESTS[client]
  goldenFile(`bad-input/${client}.txt`, Object.keys(cases), (name) => show(client, cases[name] ?? {}))
}

describe.each(TRANSLATED_PAIRS.map((pair) => [pair.name, pair] as const))('%s', (_, pair) => {
  it.each(Object.entries(BAD_REQUESTS[pair.client]))('refuses or mends: %s', (__, body) => {
    expectRefusedOrMended(pair, send(pair, body))
  })

  it('refuses or mends requests of any pieces, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 12 }), (picks) => {
        const pieces = piecesOf(pair.client)
        const list = picks.map((pick) => pieces[pick % pieces.length])
        expectRefusedOrMended(pair, send(pair, withPieces(pair.client, list)))
      }),
      { numRuns: cases(80, 300, 3000) },
    )
  })

  it('refuses or mends requests in which a member has another type', () => {
    const bodies = Object.values(REQUESTS[pair.client])
    const strange = [null, 7, '', 'x', true, [], {}, [null], [{}], { type: 'x' }, -1, 1e300]
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), (pick, place, value) => {
        const body = bodies[pick % bodies.length]
        if (body === undefined) return
        expectRefusedOrMended(pair, send(pair, replaced(body, place, strange[value % strange.length])))
      }),
      { numRuns: cases(80, 500, 15_000) },
    )
  })

  it(`takes an image of ${IMAGE_MB} MB in bounded time, without looking at each of its characters many times`, () => {
    const { sent, cpuMs } = sendImage(pair, IMAGE)
    if (isRefusal(sent)) expect(sent.param).toBeDefined()
    else expect(sent.body.length).toBeGreaterThan(IMAGE.length)
    expect(cpuMs).toBeLessThan(LIMIT_MS)
  })

  it(`refuses ${IMAGE_MB} MB that are almost base64 in bounded time`, () => {
    const { sent, cpuMs } = sendImage(pair, `${IMAGE}!`)
    expect(sent).toMatchObject({ code: 'invalid_request' })
    expect(cpuMs).toBeLessThan(LIMIT_MS)
  })

  it.each([
    ['turns', manyTurns],
    ['tools', manyTools],
    ['references in a schema', manyReferences],
  ] as const)('takes many %s in bounded time', (__, make) => {
    const { result: sent, cpuMs } = measured(() => send(pair, make(pair.client)))
    expectRefusedOrMended(pair, sent)
    if (!isRefusal(sent)) expect(sent.body.length).toBeLessThan(10_000_000)
    expect(cpuMs).toBeLessThan(LIMIT_MS)
  })
})

function expectRefusedOrMended(pair: Pair, sent: Sent | Refusal): void {
  if (!isRefusal(sent)) return checkProviderRules(pair.provider, sent.body)
  expect(sent).toMatchObject({ code: 'invalid_request' })
  // A client has to find what is wrong.
  expect(sent.param ?? sent.message).toMatch(/[a-z]/)
}

function show(client: ClientFormat, body: JsonObject): string {
  const byText = new Map<string, string[]>()
  for (const pair of TRANSLATED_PAIRS) {
    if (pair.client !== client) continue
    const sent = send(pair, body)
    const text = isRefusal(sent) ? `refused, ${sent.param ?? 'no param'}: ${sent.message}` : shown(sent)
    byText.set(text, [...(byText.get(text) ?? []), pair.provider])
  }
  return [...byText].map(([text, providers]) => `${providers.join(', ')}: ${text}`).join('\n')
}

function shown({ prepared, body }: Sent): string {
  const notes = prepared.dropped.length === 0 ? '' : `, dropped: ${prepared.dropped.join(', ')}`
  return `sent${notes}\n${compactJson(JSON.parse(body))}`
}

const IMAGE = 'iVBORw0K'.repeat((IMAGE_MB * 1024 * 1024) / 8)

type ReadImage = { readonly result: ReturnType<typeof readBody>; readonly cpuMs: number }
/** By its data, for the client whose turn it is: it is read once, as where a call is tried at one provider after another. */
const images = new Map<string, ReadImage>()
let imagesOf: ClientFormat | undefined

/** With the processor time of reading it and of making it ready. */
function sendImage(pair: Pair, data: string): { readonly sent: Sent | Refusal; readonly cpuMs: number } {
  if (imagesOf !== pair.client) images.clear()
  imagesOf = pair.client
  const read = images.get(data) ?? measured(() => readBody(pair.client, withImage(pair.client, data)))
  images.set(data, read)
  const { result: sent, cpuMs } = measured(() => sendRead(pair, read.result))
  return { sent, cpuMs: read.cpuMs + cpuMs }
}

/** The member that holds the conversation. */
const HISTORY: Readonly<Record<ClientFormat, string>> = {
  chat: 'messages',
  messages: 'messages',
  responses: 'input',
  gemini: 'contents',
}

/** All messages or items of all fixtures, good and bad. */
function piecesOf(client: ClientFormat): readonly unknown[] {
  const member = HISTORY[client]
  return [...Object.values(REQUESTS[client]), ...Object.values(BAD_REQUESTS[client])].flatMap((body) => {
    const list = body[member]
    return Array.isArray(list) ? list : []
  })
}

function withPieces(client: ClientFormat, list: readonly unknown[]): JsonObject {
  if (client === 'responses') return { model: 'farebox-model', input: list }
  if (client === 'gemini') return { model: 'farebox-model', contents: list }
  return { model: 'farebox-model', max_tokens: 100, messages: list }
}

/** The value with one of its inner values replaced, the one at a place that counts through all of them. */
function replaced(body: JsonObject, place: number, value: unknown): JsonObject {
  const paths: string[][] = []
  const walk = (inner: unknown, path: string[]) => {
    if (path.length > 0) paths.push(path)
    if (Array.isArray(inner)) for (const [index, item] of inner.entries()) walk(item, [...path, String(index)])
    else if (isRecord(inner)) for (const [name, member] of Object.entries(inner)) walk(member, [...path, name])
  }
  walk(body, [])
  const path = paths[place % paths.length] ?? []
  const copy: unknown = parseJson(JSON.stringify(body))
  let parent: unknown = copy
  for (const name of path.slice(0, -1)) parent = inside(parent, name)
  const last = path.at(-1) ?? ''
  if (typeof parent === 'object' && parent !== null) Reflect.set(parent, last, value)
  return isRecord(copy) ? copy : {}
}

function inside(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function withImage(client: ClientFormat, data: string): JsonObject {
  const url = `data:image/png;base64,${data}`
  if (client === 'gemini') {
    return withPieces(client, [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data } }] }])
  }
  const part = {
    chat: { type: 'image_url', image_url: { url } },
    messages: { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
    responses: { type: 'input_image', image_url: url },
  }[client]
  return withPieces(client, [{ role: 'user', content: [part] }])
}

const COUNT = cases(1_500, 3_000, 3_000)

function manyTurns(client: ClientFormat): JsonObject {
  const list = Array.from({ length: COUNT }, (_, index) => {
    const id = `call_${index}`
    switch (client) {
      case 'chat':
        return [
          {
            role: 'assistant',
            content: 'a',
            tool_calls: [{ id, type: 'function', function: { name: 'a', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: id, content: 'b' },
        ]
      case 'messages':
        return [
          { role: 'assistant', content: [{ type: 'tool_use', id, name: 'a', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'b' }] },
        ]
      case 'responses':
        return [
          { type: 'function_call', call_id: id, name: 'a', arguments: '{}' },
          { type: 'function_call_output', call_id: id, output: 'b' },
        ]
      case 'gemini':
        return [
          { role: 'model', parts: [{ functionCall: { name: 'a', args: {} } }] },
          { role: 'user', parts: [{ functionResponse: { name: 'a', response: { output: 'b' } } }] },
        ]
    }
  })
  return withPieces(client, [helloOf(client), ...list.flat()])
}

function helloOf(client: ClientFormat): JsonObject {
  return client === 'gemini' ? { role: 'user', parts: [{ text: 'Hello' }] } : { role: 'user', content: 'Hello' }
}

function manyTools(client: ClientFormat): JsonObject {
  const names = Array.from({ length: COUNT }, (_, index) => `${'n'.repeat(80)}.${index}`)
  return {
    ...withPieces(client, [helloOf(client)]),
    tools: names.map((name) => toolOf(client, name, {})),
  }
}

/** Each definition names the next one twice: written out it would be a schema of 2^40 parts. */
function manyReferences(client: ClientFormat): JsonObject {
  const depth = 40
  const definitions = Object.fromEntries(
    Array.from({ length: depth }, (_, index) => {
      const next = index + 1 < depth ? { $ref: `#/$defs/d${index + 1}` } : { type: 'string' }
      return [`d${index}`, { type: 'object', properties: { left: next, right: next } }]
    }),
  )
  const schema = { type: 'object', properties: { root: { $ref: '#/$defs/d0' } }, $defs: definitions }
  return { ...withPieces(client, [helloOf(client)]), tools: [toolOf(client, 'a', schema)] }
}

function toolOf(client: ClientFormat, name: string, schema: JsonObject): JsonObject {
  switch (client) {
    case 'chat':
      return { type: 'function', function: { name, parameters: schema } }
    case 'messages':
      return { name, input_schema: schema }
    case 'responses':
      return { type: 'function', name, parameters: schema }
    case 'gemini':
      return { functionDeclarations: [{ name, parametersJsonSchema: schema }] }
  }
}
