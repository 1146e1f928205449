import { describe, expect, it } from 'vitest'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { ClientRequest } from '#dialect/dialect.ts'
import { editResponsesRequest } from '#dialect/responses/edit-request.ts'
import { readResponsesRequest } from '#dialect/responses/read-request.ts'
import { UNMENDED } from '#dialect/mended.ts'
import { request, target } from './requests.ts'

function read(body: unknown): ClientRequest | Refusal {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return readResponsesRequest(text, Buffer.byteLength(text))
}

const BODY = { model: 'm', input: 'Hi' }

describe('a request', () => {
  it('says what routing and metering need', () => {
    expect(read({ ...BODY, stream: true, max_output_tokens: 9 })).toMatchObject({
      model: 'm',
      isStream: true,
      outputCap: 9,
      outputCapName: 'max_output_tokens',
      choices: 1,
      wantsUsage: true,
    })
    expect(read({ ...BODY, stream: null, max_output_tokens: null })).toMatchObject({
      isStream: false,
      outputCap: undefined,
    })
  })

  it.each([
    ['items', { input: [{ role: 'user', content: 'Hi' }] }],
    ['an effort that is new', { reasoning: { effort: 'enormous' } }],
    [
      'members that are null',
      { instructions: null, reasoning: null, tools: null, background: null, temperature: null },
    ],
    ['members that are unknown', { shiny: { a: 1 } }],
    ['bounds', { temperature: 2, top_p: 0, max_output_tokens: 1 }],
  ])('may have %s', (_, members) => {
    expect(isRefusal(read({ ...BODY, ...members }))).toBe(false)
  })

  it.each([
    ['model', { model: undefined }],
    ['model', { model: '' }],
    ['input', { input: undefined }],
    ['input', { input: null }],
    ['input', { input: '' }],
    ['input', { input: [] }],
    ['input', { input: {} }],
    ['input[1]', { input: [{ role: 'user' }, 'Hi'] }],
    ['instructions', { instructions: ['Hi'] }],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['max_output_tokens', { max_output_tokens: 1.5 }],
    ['max_output_tokens', { max_output_tokens: '9' }],
    ['stream', { stream: 'yes' }],
    ['temperature', { temperature: 2.1 }],
    ['temperature', { temperature: -0.1 }],
    ['top_p', { top_p: 1.1 }],
    ['tools', { tools: {} }],
    ['tools', { tools: ['wx'] }],
    ['tool_choice', { tool_choice: 'maybe' }],
    ['reasoning', { reasoning: 'high' }],
    ['background', { background: true }],
    ['background', { background: 'no' }],
    ['Max_Output_Tokens', { Max_Output_Tokens: 9 }],
    ['Background', { Background: true }],
  ])('is refused with the member that is wrong: %s in %j', (param, members) => {
    expect(read({ ...BODY, ...members })).toMatchObject({ type: 'refusal', code: 'invalid_request', param })
  })

  it.each(['', '[]', 'oops', '{"model":"m","input":"a","input":"b"}'])('is refused when it is %s', (text) => {
    expect(read(text)).toMatchObject({ type: 'refusal' })
  })
})

describe('an edited request', () => {
  const { quirks } = target()

  function edit(text: string, outputCap: number | undefined) {
    const read = readResponsesRequest(text, Buffer.byteLength(text))
    if (isRefusal(read)) return expect.fail(read.message)
    return editResponsesRequest(read, {
      upstreamModel: 'up',
      outputCap,
      outputCapField: 'max_tokens',
      quirks,
      mended: UNMENDED,
    })
  }

  it('changes the model and the cap and nothing else', () => {
    const text = '{ "input" : "a\\u0041" , "model":"m", "max_output_tokens": 99, "x":1.0 }'
    expect(edit(text, 50)).toBe('{ "input" : "a\\u0041" , "model":"up", "max_output_tokens": 50, "x":1.0 }')
  })

  it('adds a cap by the one name that this format has', () => {
    expect(edit('{"model":"m","input":"a"}', 50)).toBe('{"model":"up","input":"a","max_output_tokens":50}')
    expect(edit('{"model":"m","input":"a"}', undefined)).toBe('{"model":"up","input":"a"}')
  })

  it('leaves a request alone in which nothing has to change', () => {
    const same = request({ max_output_tokens: 5 })
    const edits = { upstreamModel: 'm', outputCap: 5, outputCapField: 'max_tokens', quirks, mended: UNMENDED } as const
    expect(editResponsesRequest(same, edits)).toBe(same.body.text)
  })
})
