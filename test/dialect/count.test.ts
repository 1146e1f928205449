import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countableOf } from '#dialect/count.ts'
import { imageSize } from '#dialect/image-size.ts'
import type { Conversation, ImageContent, JsonObject, Tool, UserContent } from '#dialect/turn.ts'
import { COUNTING, countingConversation, NO_CONVERSATION as EMPTY } from '../support/counting.ts'
import { processorMs } from '../support/processor-time.ts'

const user = (...content: UserContent[]): Conversation => ({ ...EMPTY, turns: [{ role: 'user', content }] })
const text = (value: string) => ({ type: 'text', text: value }) as const
const image = (data: string, detail?: ImageContent['detail']): ImageContent => {
  return { type: 'image', source: { type: 'base64', mediaType: 'image/png', data }, detail }
}
const tool = (parameters: JsonObject | undefined, kind: Tool['kind'] = 'function'): Tool => {
  return { name: 'find', kind, description: 'Finds things.', parameters, isStrict: undefined }
}
const withTools = (...tools: Tool[]) => countableOf({ ...EMPTY, tools })
/** What one part adds to a message. */
const added = (part: UserContent) => countableOf(user(part)).overheadTokens - countableOf(user()).overheadTokens

describe('the countable of a conversation', () => {
  it('has three tokens for the answer and four around each message', () => {
    expect(countableOf(EMPTY)).toEqual({ texts: [], overheadTokens: 3 })
    const turns = [
      { role: 'system', content: [text('Be brief.')] },
      { role: 'user', content: [text('Hello'), text('there')] },
      { role: 'assistant', content: [{ type: 'reasoning', text: 'A greeting.' }, text('Hi!')] },
    ] as const
    expect(countableOf({ ...EMPTY, turns })).toEqual({
      texts: ['Be brief.', 'Hello', 'there', 'A greeting.', 'Hi!'],
      overheadTokens: 3 + 3 * 4,
    })
  })

  it('has tool calls and their results, with the names that the model sees', () => {
    const call = { type: 'tool-call', id: 'c1', name: 'find', namespace: 'files', arguments: '{"a":1}' } as const
    const turns = [
      { role: 'assistant', content: [call] },
      { role: 'tool', results: [{ callId: 'c1', content: [text('found')], isError: false }] },
    ] as const
    const { texts, overheadTokens } = countableOf({ ...EMPTY, turns })
    expect(texts).toEqual(['files__find', '{"a":1}', 'found'])
    expect(overheadTokens).toBe(3 + 4 + 7 + 7)
  })

  it('has the schema of the answer as JSON', () => {
    const format = {
      type: 'json-schema',
      name: 'Point',
      description: undefined,
      schema: { type: 'object' },
      isStrict: true,
    } as const
    expect(countableOf({ ...EMPTY, format }).texts).toEqual(['Point', '{"type":"object"}'])
    expect(countableOf({ ...EMPTY, format: { type: 'json' } }).texts).toEqual([])
  })

  it('keeps few texts however many there are, and loses none', () => {
    const content = Array.from({ length: 50_000 }, (_, index) => text(`t${index}`))
    const { texts } = countableOf(user(...content))
    expect(texts.length).toBeLessThan(3_000)
    expect(texts.join('\n').split('\n')).toEqual(content.map((part) => part.text))
  })
})

describe('tool definitions', () => {
  it('cost what the cookbook says: name, description, properties, the items of an enum', () => {
    const parameters = {
      type: 'object',
      properties: { unit: { type: 'string', description: 'The unit.', enum: ['C', 'F'] }, place: { type: 'string' } },
    }
    const { texts, overheadTokens } = withTools(tool(parameters))
    expect(texts).toEqual(['find:Finds things', 'unit:string:The unit', 'C', 'F', 'place:string:'])
    expect(overheadTokens).toBe(3 + 7 + 3 + 2 * 3 + (-3 + 2 * 3) + 12)
  })

  it('cost what is nested in them too', () => {
    const inner = { type: 'object', properties: { deep: { type: ['string', 'null'], description: 'Deep' } } }
    for (const parameters of [
      { properties: { list: { type: 'array', description: 'L', items: inner } } },
      { properties: { list: { type: 'array', description: 'L', anyOf: [{ type: 'null' }, inner] } } },
      { properties: { list: { type: 'array', description: 'L' } }, $defs: { inner } },
    ]) {
      expect(withTools(tool(parameters)).texts).toEqual(['find:Finds things', 'list:array:L', 'deep:string|null:Deep'])
    }
  })

  it('without a schema cost their name, custom ones the schema that they are given', () => {
    expect(withTools(tool(undefined)).texts).toEqual(['find:Finds things'])
    expect(withTools(tool(undefined, 'custom')).texts).toEqual(['find:Finds things', 'input:string:'])
  })

  it('may be anything that JSON can be', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 6 }),
        fc.constantFrom('properties', 'anyOf', 'items', 'enum', '$defs'),
        (json, key) => {
          const parameters = { [key]: JSON.parse(json) as unknown, properties: { a: JSON.parse(json) as unknown } }
          const { texts, overheadTokens } = withTools(tool(parameters))
          expect(texts.every((item) => typeof item === 'string')).toBe(true)
          expect(overheadTokens).toBeGreaterThan(0)
        },
      ),
    )
  })

  it('may be nested more deeply than the stack is high', () => {
    let schema: JsonObject = {}
    for (let depth = 0; depth < 100_000; depth++) schema = { items: schema }
    expect(withTools(tool(schema)).overheadTokens).toBe(3 + 7 + 12)
  })
})

describe('images', () => {
  it.each([
    ['1024 by 1024', 1024, 1024, 85 + 4 * 170],
    ['2048 by 4096', 2048, 4096, 85 + 6 * 170],
    ['small', 32, 32, 85 + 170],
    ['1920 by 1080', 1920, 1080, 85 + 6 * 170],
    ['a hair', 1, 4_000_000_000, 85 + 4 * 170],
  ])('cost by their squares: %s', (_, width, height, tokens) => {
    expect(added(image(png(width, height)))).toBe(tokens)
  })

  it('cost 85 tokens where their detail is low, whatever they are', () => {
    expect(added(image(png(4096, 4096), 'low'))).toBe(85)
    expect(added(image('', 'low'))).toBe(85)
  })

  it('cost a flat amount where their size cannot be seen', () => {
    const flat = 85 + 6 * 170
    expect(added({ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } })).toBe(flat)
    for (const data of ['', 'AAAA', '%%%', png(0, 10), Buffer.alloc(100, 0xff).toString('base64')]) {
      expect(added(image(data))).toBe(flat)
    }
  })

  it('have their size read from each kind of file', () => {
    const size = { width: 640, height: 480 }
    expect(imageSize(png(640, 480))).toEqual(size)
    expect(
      imageSize(
        base64(
          'GIF89a',
          [0x80, 0x02, 0xe0, 0x01],
          Array.from({ length: 30 }, () => 0),
        ),
      ),
    ).toEqual(size)
    expect(imageSize(base64('RIFF????WEBPVP8 ????', [0, 0, 0, 0x9d, 1, 0x2a, 0x80, 0x42, 0xe0, 0x81, 0, 0]))).toEqual(
      size,
    )
    const lossless = 639 | (479 << 14)
    const bits = [lossless & 0xff, (lossless >> 8) & 0xff, (lossless >> 16) & 0xff, (lossless >>> 24) & 0xff]
    expect(
      imageSize(
        base64(
          'RIFF????WEBPVP8L????',
          [0x2f, ...bits],
          Array.from({ length: 10 }, () => 0),
        ),
      ),
    ).toEqual(size)
    expect(imageSize(base64('RIFF????WEBPVP8X????', [0, 0, 0, 0, 0x7f, 2, 0, 0xdf, 1, 0], [0, 0]))).toEqual(size)
    expect(imageSize(jpeg([]))).toEqual(size)
  })

  it('have their size read behind what cameras put before it', () => {
    const segment = (length: number) => [
      0xff,
      0xe1,
      length >> 8,
      length & 0xff,
      ...Array.from({ length: length - 2 }, () => 0xff),
    ]
    expect(imageSize(jpeg([...segment(60_000), 0xff, 0xff, ...segment(60_000).slice(1)]))).toEqual({
      width: 640,
      height: 480,
    })
    expect(imageSize(jpeg(Array.from({ length: 5 }, () => segment(65_000)).flat()))).toBeUndefined()
  })

  it('may be any bytes', () => {
    const heads = ['', '\x89PNG\r\n\x1a\n', 'GIF89a', 'RIFF????WEBPVP8 ', 'RIFF????WEBPVP8X', '\xff\xd8\xff']
    fc.assert(
      fc.property(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 200 }), (head, rest) => {
        const size = imageSize(base64(head, [...rest]))
        expect(size === undefined || (size.width > 0 && size.height > 0)).toBe(true)
      }),
    )
  })

  it('are looked at without hanging, however large', () => {
    const marks = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(20_000_000, 0xff)]).toString('base64')
    const tookMs = processorMs(() => {
      expect(imageSize(marks)).toBeUndefined()
    })
    expect(tookMs).toBeLessThan(5000)
  })
})

describe('documents and sound', () => {
  it('cost by their size, within a bound', () => {
    const document = (bytes: number, mediaType = 'application/pdf'): UserContent => {
      const data = Buffer.alloc(bytes, 'a').toString('base64')
      return { type: 'document', source: { type: 'base64', mediaType, data } }
    }
    expect(added(document(1_000))).toBe(2_000)
    expect(added(document(120_000))).toBe(6_000)
    expect(added(document(20_000_000))).toBe(200_000)
    expect(added({ type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } })).toBe(10_000)
    expect(added({ type: 'audio', data: 'A'.repeat(128_000), format: 'wav' })).toBe(30)
    expect(added({ type: 'audio', data: 'A'.repeat(128_000), format: 'mp3' })).toBe(120)
  })

  it('of plain text are counted as text, however they are sent', () => {
    const data = Buffer.from('Grüße').toString('base64')
    const sent = { type: 'base64', mediaType: 'text/plain; charset=utf-8', data } as const
    expect(countableOf(user({ type: 'document', source: sent, name: 'a.txt' })).texts).toEqual(['a.txt', 'Grüße'])
    const plain = { type: 'document', source: { type: 'text', text: 'Hello' } } as const
    expect(countableOf(user(plain)).texts).toEqual(['Hello'])
  })
})

describe('a coding agent’s conversation', () => {
  const conversation = countingConversation()

  it('has system, messages, calls, results and all ten tools in its countable', () => {
    const { texts } = countableOf(conversation)
    const all = texts.join('\n')
    const file = readFileSync(join(COUNTING, 'coding-agent.json'), 'utf8')
    const { messages, tools } = JSON.parse(file) as { messages: { content: string | null }[]; tools: unknown[] }
    expect(tools).toHaveLength(10)
    for (const { content } of messages) expect(all).toContain(content ?? '')
    for (const { name, description } of conversation.tools) {
      expect(all).toContain(`${name}:${description?.replace(/\.$/, '')}`)
    }
  })
})

function base64(head: string, ...rest: (readonly number[])[]): string {
  return Buffer.concat([Buffer.from(head, 'latin1'), ...rest.map((bytes) => Buffer.from(bytes))]).toString('base64')
}

function png(width: number, height: number): string {
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width)
  size.writeUInt32BE(height, 4)
  return base64('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', [...size, 8, 6, 0, 0, 0, 1, 2, 3, 4])
}

/** 640 by 480, with segments before its frame. */
function jpeg(segments: readonly number[]): string {
  const frame = [0xff, 0xc2, 0, 17, 8, 0x01, 0xe0, 0x02, 0x80, 3]
  return base64(
    '\xff\xd8',
    [0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xd0],
    segments,
    frame,
    Array.from({ length: 30 }, () => 0),
  )
}
