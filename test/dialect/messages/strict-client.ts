// A client as strict as the strictest that are known: Anthropic's SDK, which wants an event line before each data line and one
// block after the other with indexes without gaps, and Claude Code, which wants deltas of the kind of their block.

import { expect } from 'vitest'

type Members = Readonly<Record<string, unknown>>
type Block = Record<string, unknown>

export type ReadMessage = {
  readonly message: Members
  readonly content: readonly Block[]
  readonly delta: Members
  readonly usage: Members
  readonly pings: number
}

const MEMBERS: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'signature',
}
const KINDS: Readonly<Record<string, string>> = {
  text_delta: 'text',
  citations_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'thinking',
  input_json_delta: 'tool_use',
}

/** Reads a whole stream, and fails the test where a client would. */
export function readStrictly(text: string): ReadMessage {
  const content: Block[] = []
  let message: Members | undefined
  let last: Members | undefined
  let json = ''
  let isOpen = false
  let isEnded = false
  let pings = 0
  for (const piece of text.split(/(?<=\n\n)/)) {
    const lines = /^event: (\w+)\ndata: ([^\n]*)\n\n$/.exec(piece)
    if (lines === null) expect.fail(`not an event: ${piece}`)
    const data = JSON.parse(lines[2] ?? '') as Members & { readonly index: number }
    expect(data['type']).toBe(lines[1])
    expect(isEnded, 'an event behind the end').toBe(false)
    const type = lines[1]
    if (type === 'ping') {
      pings += 1
      continue
    }
    if (type === 'message_start') {
      expect(message, 'a second start').toBeUndefined()
      message = data['message'] as Members
      continue
    }
    expect(message, 'an event before the start').toBeDefined()
    const open = content.at(-1)
    switch (type) {
      case 'content_block_start':
        expect(isOpen, 'a block inside another').toBe(false)
        expect(last, 'a block behind the last delta').toBeUndefined()
        expect(data.index).toBe(content.length)
        content.push({ ...(data['content_block'] as Block) })
        isOpen = true
        json = ''
        break
      case 'content_block_delta': {
        expect(isOpen && data.index === content.length - 1, 'Content block not found').toBe(true)
        const delta = data['delta'] as Members & { readonly type: string }
        expect(KINDS[delta.type], 'Content block is not of the kind of its delta').toBe(open?.['type'])
        const member = MEMBERS[delta.type]
        if (open === undefined) break
        if (delta.type === 'input_json_delta') json += String(delta['partial_json'])
        else if (delta.type === 'citations_delta')
          open['citations'] = [...((open['citations'] as []) ?? []), delta['citation']]
        else if (delta.type === 'signature_delta') {
          expect(open['signature'], 'a second signature').toBe('')
          open['signature'] = delta['signature']
        } else if (member !== undefined) open[member] = String(open[member]) + String(delta[member])
        break
      }
      case 'content_block_stop':
        expect(isOpen && data.index === content.length - 1).toBe(true)
        isOpen = false
        if (open?.['type'] === 'tool_use') open['json'] = json
        break
      case 'message_delta':
        expect(isOpen, 'a block that is never ended').toBe(false)
        last = data
        expect(typeof (data['usage'] as Members)['output_tokens']).toBe('number')
        break
      case 'message_stop':
        expect(last, 'an end without its delta').toBeDefined()
        isEnded = true
        break
      default:
        expect.fail(`unknown event ${type}`)
    }
  }
  expect(isEnded, 'a stream without its end').toBe(true)
  return {
    message: message ?? {},
    content,
    delta: (last?.['delta'] ?? {}) as Members,
    usage: (last?.['usage'] ?? {}) as Members,
    pings,
  }
}
