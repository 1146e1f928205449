import { describe, expect, it } from 'vitest'
import { readRequest, requestOf } from '#renderer/data/try-request.ts'

const FIELDS = { model: 'demo-chat', prompt: 'Hi', isStream: true, outputCap: 64 } as const

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
