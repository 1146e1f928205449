// A request in the Gemini format has one reading: what Google could read in another way than we do is refused or taken out, and what
// nobody knows makes the hold as wide as the context.

import { describe, expect, it } from 'vitest'
import { DEFAULT_QUIRKS } from '#core/quirks.ts'
import { isRefusal } from '#core/refusal.ts'
import { editGeminiRequest } from '#dialect/gemini/edit-request.ts'
import { readGeminiRequest } from '#dialect/gemini/read-request.ts'
import { surveyInput } from '#dialect/input-survey.ts'
import { scanObject } from '#dialect/json-text.ts'
import { UNMENDED } from '#dialect/mended.ts'

const ASKED = { model: 'm', method: 'generateContent', isEvents: false }
const TEXT = '{"text":"hi"}'
const FILE = '{"fileData":{"fileUri":"https://example.org/a"}}'

function read(text: string) {
  return readGeminiRequest(text, Buffer.byteLength(text), ASKED)
}

function bodyOf(text: string): string {
  const request = read(text)
  if (isRefusal(request)) throw new Error(`refused: ${request.message}`)
  const edits = {
    upstreamModel: 'm',
    outputCap: undefined,
    outputCapField: 'max_tokens',
    quirks: DEFAULT_QUIRKS,
  } as const
  return editGeminiRequest(request, { ...edits, mended: UNMENDED })
}

const content = (members: string) => `{"contents":[{"role":"user","parts":[${TEXT}]},{${members}}]}`
const part = (members: string) => content(`"parts":[${TEXT},{${members}}]`)
const withMembers = (members: string) => `{"contents":[{"parts":[${TEXT}]}],${members}}`

describe('a model in the body', () => {
  it.each([
    String.raw`"mod\u0065l":"models/expensive"`,
    String.raw`"\u006d\u006fdel" : "models/expensive"`,
    String.raw`"str\u0065am":true,"model":"a"`,
    '"model":"models/expensive"',
  ])('does not reach the provider: %s', (members) => {
    const bare = { contents: [{ parts: [{ text: 'hi' }] }] }
    expect(JSON.parse(bodyOf(withMembers(members)))).toEqual(bare)
    expect(JSON.parse(bodyOf(`{${members},"contents":[{"parts":[${TEXT}]}]}`))).toEqual(bare)
  })
})

describe('a request that could be read in two ways', () => {
  it.each([
    ['contents[1].parts', content(`"parts":[${FILE}],"parts":[${TEXT}]`)],
    ['contents[1].parts', content(String.raw`"p\u0061rts":[],"parts":[${TEXT}]`)],
    ['contents[1].parts[1].inlineData', part('"inlineData":{"mimeType":"image/png","data":""},"inline_data":{}')],
    ['contents[1].parts[1].inlineData.mimeType', part('"inlineData":{"mimeType":"image/png","mime_type":"a/b"}')],
    ['contents[1].parts[1].inlineData.mimeType', part('"inline_data":{"mimeType":"image/png","mimeType":"a/b"}')],
    ['contents[1].parts[1].fileData', part('"file_data":{},"fileData":null')],
    ['contents[1].parts[1].text', part('"text":"a","text":"b"')],
    ['contents[1].parts[1].functionCall', part('"functionCall":{},"function_call":{}')],
    ['contents[1].parts[1].functionCall.args', part('"functionCall":{"args":{"a":1},"args":{}}')],
    [
      'contents[1].parts[1].functionResponse.parts[0].inlineData',
      part('"function_response":{"parts":[{"inlineData":{},"inline_data":{}}]}'),
    ],
    [
      'contents[1].parts[1].inlineData.mimeType',
      part('"inline_data" : { "a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"mimeType":"x" , "i":9,"mime_type":"y"}'),
    ],
    ['contents[1].parts[1].text', part('"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"text":"a","i":9,"text":"b"')],
    [
      'contents[1].parts[1].inlineData.mimeType',
      part(String.raw`"text":"\\\"}],[{","inlineData":{"data":"\\","mimeType":"a","mime_type":"b"}`),
    ],
    [
      'systemInstruction.parts[0].fileData',
      withMembers('"system_instruction":{"parts":[{"fileData":{},"file_data":null}]}'),
    ],
    ['tools[0].googleSearch', withMembers('"tools":[{"googleSearch":{},"google_search":null}]')],
    ['tools[0].functionDeclarations', withMembers('"tools":[{"functionDeclarations":[{}],"functionDeclarations":[]}]')],
    [
      'generationConfig.thinkingConfig.thinkingBudget',
      withMembers('"generation_config":{"thinking_config":{"thinkingBudget":1,"thinking_budget":9}}'),
    ],
    ['generationConfig.candidateCount', withMembers('"generationConfig":{"candidateCount":8,"candidate_count":1}')],
    [
      'generationConfig.candidateCount',
      withMembers(String.raw`"generationConfig":{"candidateCount":8,"candidate\u0043ount":1}`),
    ],
  ])('is refused, and %s is named', (param, text) => {
    expect(read(text)).toMatchObject({ code: 'invalid_request', param })
  })

  it('is found behind any number of others', () => {
    const parts = Array.from({ length: 40_000 }, (_, index) => `{"text":"hello ${index}"}`).join(',')
    const text = `{"contents":[{"parts":[${parts}]},{"parts":[{"fileData":{},"file_data":{}}]}]}`
    expect(read(text)).toMatchObject({ code: 'invalid_request', param: 'contents[1].parts[0].fileData' })
  })

  it('may have any names in the JSON of its own', () => {
    const args = '{"my_arg":1,"myArg":2}'
    const text = part(`"functionCall":{"name":"a","args":${args}}`)
    expect(read(text)).not.toHaveProperty('code')
    expect(read(part(`"functionResponse":{"name":"a","response":${args}}`))).not.toHaveProperty('code')
    expect(bodyOf(text)).toBe(text)
  })

  it('is refused where an escaped name is not read as the provider reads it', () => {
    const text = withMembers(String.raw`"generationConfig":{"candidate\u0043ount":8}`)
    const scanned = { ...JSON.parse(text), generationConfig: { candidateBount: 8 } } as object
    const misread = { text, scan: scanObject(text), value: scanned }
    expect(readGeminiRequest(misread, text.length, ASKED)).toMatchObject({ code: 'invalid_request' })
    expect(read(text)).toMatchObject({ choices: 8 })
  })
})

describe('a tool that Google runs', () => {
  it.each([
    { name: null, googleSearch: {} },
    { type: 'function', googleSearch: {} },
    { type: 'function', function: { name: 'a' }, google_search: {} },
    { function: null, urlContext: {} },
    { googleSearch: {} },
  ])('is a reference, whatever stands beside it: %j', (tool) => {
    expect(surveyInput({ tools: [tool] }).references).toHaveLength(1)
  })

  it('is not asked for by a member that is not given', () => {
    expect(surveyInput({ tools: [{ type: 'function', name: 'a', googleSearch: null }] }).references).toEqual([])
  })
})
