// What the tests of chat completions share: requests, answers and streams made from little.

import { expect } from 'vitest'
import { DEFAULT_QUIRKS, type Quirks } from '#core/quirks.ts'
import { UpstreamFailure } from '#core/failure.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import { readChatRequest } from '#dialect/chat-completions/read-request.ts'
import { ChatPartReader } from '#dialect/chat-completions/read-stream.ts'
import { readChatConversation } from '#dialect/chat-completions/read-turns.ts'
import { writeChatRequest } from '#dialect/chat-completions/write-request.ts'
import type { AnswerContext, ClientRequest } from '#dialect/dialect.ts'
import { foldParts, type AnswerPart } from '#dialect/part.ts'
import { isRecord } from '#dialect/request-body.ts'
import { eventData, eventName, EventSplitter } from '#dialect/sse.ts'
import type { Conversation, JsonObject, Turn } from '#dialect/turn.ts'

export const USER: JsonObject = { role: 'user', content: 'Hi' }

export function requestOf(body: JsonObject): ClientRequest {
  const text = JSON.stringify({ model: 'm', messages: [USER], ...body })
  const request = readChatRequest(text, text.length)
  return isRefusal(request) ? expect.fail(`not even a request: ${request.message}`) : request
}

export function conversationOf(body: JsonObject): Conversation {
  const conversation = readChatConversation(requestOf(body))
  return isRefusal(conversation) ? expect.fail(conversation.message) : conversation
}

export function refusalOf(body: JsonObject): Refusal {
  const conversation = readChatConversation(requestOf(body))
  return isRefusal(conversation) ? conversation : expect.fail('this should have been refused')
}

export function turnsOf(...messages: readonly JsonObject[]): readonly Turn[] {
  return conversationOf({ messages }).turns
}

export const PLAIN: Conversation = {
  turns: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  tools: [],
  hostedTools: [],
  toolChoice: undefined,
  allowsParallelTools: undefined,
  outputCap: undefined,
  stop: [],
  sampling: {},
  reasoning: { effort: undefined, budgetTokens: undefined, isShown: true },
  format: undefined,
  choices: 1,
  user: undefined,
  shared: {},
  dropped: [],
}

export type Written = {
  readonly body: JsonObject
  readonly messages: readonly JsonObject[]
  readonly dropped: readonly string[]
}
type Asking = { readonly quirks?: Partial<Quirks>; readonly isStream?: boolean; readonly cap?: number }

export function write(conversation: Partial<Conversation>, asking: Asking = {}): Written | Refusal {
  const quirks = { ...DEFAULT_QUIRKS, ...asking.quirks }
  const target = {
    upstreamModel: 'up',
    isStream: asking.isStream ?? false,
    outputCapField: 'max_tokens',
    quirks,
  } as const
  const written = writeChatRequest({ ...PLAIN, ...conversation }, target)
  if (isRefusal(written)) return written
  expect(written.path).toBe('/chat/completions')
  const body: unknown = JSON.parse(written.body(asking.cap ?? 7))
  const messages = isRecord(body) ? body['messages'] : undefined
  if (!isRecord(body) || !Array.isArray(messages)) return expect.fail('no request')
  return { body, messages: messages.filter(isRecord), dropped: written.dropped }
}

export function written(conversation: Partial<Conversation>, asking: Asking = {}): Written {
  const result = write(conversation, asking)
  return isRefusal(result) ? expect.fail(result.message) : result
}

export function callIds(): () => string {
  let count = 0
  return () => `made_${count++}`
}

/** The parts of a stream's text, read in pieces; checked against what every reader promises. */
export function readPieces(pieces: readonly string[]): AnswerPart[] {
  const reader = new ChatPartReader(callIds())
  const splitter = new EventSplitter()
  const parts: AnswerPart[] = []
  const take = (event: string) => {
    const data = eventData(event)
    if (data !== undefined) parts.push(...reader.read(data, eventName(event)))
  }
  for (const piece of pieces) for (const event of splitter.push(piece)) take(event)
  if (splitter.rest.trim() !== '') take(`${splitter.rest}\n\n`)
  parts.push(...reader.end())
  expect(reader.isComplete).toBe(true)
  expectOrderly(parts)
  return parts
}

export function readText(text: string): AnswerPart[] {
  return readPieces([text])
}

/** The parts of a stream with these chunks of one choice's deltas, finished as it is said. */
export function readDeltas(deltas: readonly JsonObject[], finish: string | null = 'stop'): AnswerPart[] {
  const chunks = deltas.map((delta) => chunkText([{ index: 0, delta, finish_reason: null }]))
  const last = finish === null ? '' : chunkText([{ index: 0, delta: {}, finish_reason: finish }])
  return readText(`${chunks.join('')}${last}data: [DONE]\n\n`)
}

export function chunkText(choices: readonly JsonObject[], more: JsonObject = {}): string {
  return `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })}\n\n`
}

export function failureOf(read: () => unknown): UpstreamFailure {
  try {
    read()
  } catch (error) {
    if (error instanceof UpstreamFailure) return error
    throw error
  }
  return expect.fail('this was taken for an answer')
}

/** A short form of the first choice's blocks: what was in them, in order. */
export function blocksOf(parts: readonly AnswerPart[], choice = 0): unknown[] {
  return (foldParts(parts).choices[choice]?.blocks ?? []).map(({ block, text, sealed, isCut }) => {
    const content = block.type === 'tool-call' ? [block.id, block.name, text] : [text]
    return [block.type, ...content, ...(sealed === undefined ? [] : [sealed]), ...(isCut ? ['cut'] : [])]
  })
}

/** Checks the promises of part.ts. */
export function expectOrderly(parts: readonly AnswerPart[]): void {
  expect(parts.filter(({ type }) => type === 'start')).toHaveLength(1)
  expect(parts[0]?.type).toBe('start')
  const open = new Map<number, { type: string; hasText: boolean }>()
  const finished = new Set<number>()
  for (const part of parts) {
    if (part.type === 'start' || part.type === 'usage') continue
    expect(finished.has(part.choice), 'a part behind the finish of its choice').toBe(false)
    const live = open.get(part.choice)
    if (part.type === 'open') {
      expect(live, 'a block opened inside another').toBeUndefined()
      open.set(part.choice, { type: part.block.type, hasText: false })
    } else if (part.type === 'delta') {
      if (live === undefined) expect.fail('a delta outside a block')
      expect(part.text).not.toBe('')
      live.hasText = true
    } else if (part.type === 'close') {
      if (live === undefined) expect.fail('a close without a block')
      const mayBeEmpty = live.type === 'tool-call' || part.sealed !== undefined
      expect(live.hasText || mayBeEmpty, 'an empty block').toBe(true)
      open.delete(part.choice)
    } else if (part.type === 'finish') {
      expect(live, 'a finish inside a block').toBeUndefined()
      finished.add(part.choice)
    }
  }
  expect(open.size).toBe(0)
}

export function contextOf(body: JsonObject = {}): AnswerContext {
  return {
    request: requestOf(body),
    exchangeId: '0190b5d1-0000-7000-8000-00000000abcd',
    createdAtS: 1_790_000_000,
    likelyInputTokens: 10,
  }
}
