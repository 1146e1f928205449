import { describe, expect, it } from 'vitest'
import { readRequest, requestOf } from '#renderer/data/try-request.ts'

const IMAGE = { mediaType: 'image/png', data: 'aGk=' }
const HI = { prompt: 'Hi', image: undefined, steps: [], answer: undefined }
const FIELDS = { model: 'demo-chat', system: '', turns: [HI], tools: [], isStream: true, outputCap: 64 } as const
/** A whole conversation: a system text, an answered question with an image, and the next question. */
const TALK = {
  ...FIELDS,
  system: 'Be brief.',
  turns: [{ prompt: 'What?', image: IMAGE, steps: [], answer: 'A dot.' }, HI],
  isStream: false,
}

describe('a test request', () => {
  it('is written as each format has it', () => {
    expect(requestOf({ ...FIELDS, format: 'chat' })).toEqual({
      model: 'demo-chat',
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 64,
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(requestOf({ ...FIELDS, format: 'messages' })).toMatchObject({ max_tokens: 64, stream: true })
    expect(requestOf({ ...FIELDS, format: 'responses' })).toMatchObject({ input: 'Hi', max_output_tokens: 64 })
  })

  it('has the system text, what was said before and an image, as each format has them', () => {
    const url = 'data:image/png;base64,aGk='
    expect(requestOf({ ...TALK, format: 'chat' })).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What?' },
            { type: 'image_url', image_url: { url } },
          ],
        },
        { role: 'assistant', content: 'A dot.' },
        { role: 'user', content: 'Hi' },
      ],
    })
    const source = { type: 'base64', media_type: 'image/png', data: 'aGk=' }
    expect(requestOf({ ...TALK, format: 'messages' })).toMatchObject({
      system: 'Be brief.',
      messages: [
        { role: 'user', content: [{ type: 'image', source }, { type: 'text' }] },
        { role: 'assistant' },
        { role: 'user', content: 'Hi' },
      ],
    })
    expect(requestOf({ ...TALK, format: 'responses' })).toMatchObject({
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: [{ type: 'input_text' }, { type: 'input_image', image_url: url }] },
        { role: 'assistant', content: 'A dot.' },
        { role: 'user', content: 'Hi' },
      ],
    })
    expect(requestOf({ ...TALK, format: 'gemini' })).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'What?' }, { inlineData: { mimeType: 'image/png', data: 'aGk=' } }] },
        { role: 'model', parts: [{ text: 'A dot.' }] },
        { role: 'user', parts: [{ text: 'Hi' }] },
      ],
    })
  })

  it('says nothing of streams where none is wanted, or none exists', () => {
    for (const format of ['chat', 'messages', 'responses'] as const) {
      expect(Object.keys(requestOf({ ...FIELDS, format, isStream: false }))).not.toContain('stream')
    }
    expect(requestOf({ ...FIELDS, format: 'embeddings' })).toEqual({ model: 'demo-chat', input: 'Hi' })
  })

  it('is taken as typed where it is a JSON object, and only then', () => {
    expect(readRequest('{"model":"x","future_field":[1]}')).toEqual({ model: 'x', future_field: [1] })
    for (const text of ['', '{', '[]', 'null', '7', '"x"']) expect(readRequest(text), text).toBeUndefined()
  })
})
