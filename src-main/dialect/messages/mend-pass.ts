// What a client brings back in messages from answers that other dialects' providers gave and Farebox translated: thinking that
// is sealed in our wrapping or not at all, citations without their index, and ids of calls. Anthropic refuses requests that
// hold any of it, and the client would be stuck with its conversation after a change of the model.

import { CallIds, plainIds } from '#dialect/call-ids.ts'
import type { ClientRequest, PassTarget } from '#dialect/dialect.ts'
import { editedMembers, type JsonEdit } from '#dialect/json-edit.ts'
import { IdEdits, UNMENDED, type Mended } from '#dialect/mended.ts'
import { hasLostThinking } from '#dialect/messages/lost-thinking.ts'
import { modelFacts } from '#dialect/messages/model-facts.ts'
import { MAX_ID_LENGTH } from '#dialect/messages/write-turns.ts'
import { isRecord } from '#dialect/request-body.ts'
import { isWrappedSeal } from '#dialect/seal.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Cheap signs that a body may hold such blocks. Thinking can lack the member for its signature, so that any of it is one. */
const SIGNS = /"farebox1\.|"type"\s*:\s*"(?:redacted_)?thinking"|"encrypted_index"\s*:\s*""/

export function mendMessagesPass({ body }: ClientRequest, { upstreamModel }: PassTarget): Mended {
  const given = body.value['messages']
  if (!Array.isArray(given)) return UNMENDED
  const messages = given.filter(isRecord)
  const isClaude = modelFacts(upstreamModel).strictThinking
  const foreign = SIGNS.test(body.text) ? foreignBlocks(given, isClaude) : NO_BLOCKS
  const edits = [...foreign.edits, ...idEdits(given)]
  const members = editedMembers(body, edits)
  const dropped = [...foreign.dropped]
  const { thinking } = body.value
  if (isRecord(thinking) && (thinking['type'] === 'enabled' || thinking['type'] === 'adaptive')) {
    const own = messages.map((message) => foreign.own.get(message) ?? message)
    const wasForeign = (message: JsonObject) => foreign.changed.has(message)
    if (hasLostThinking(own, { isFixed: isClaude && thinking['type'] === 'enabled', isClaude, wasForeign })) {
      disableThinking(body.value, members)
      dropped.push('reasoning')
    }
  }
  return members.size === 0 ? UNMENDED : { members, dropped }
}

/** Takes thinking off a request, and with it what is refused where there is none. */
export function disableThinking(value: JsonObject, members: Map<string, string>): void {
  members.set('thinking', '{"type":"disabled"}')
  const management = value['context_management']
  const given = isRecord(management) ? management['edits'] : undefined
  if (!isRecord(management) || !Array.isArray(given)) return
  const kept = given.filter((edit) => !isRecord(edit) || !String(edit['type']).startsWith('clear_thinking'))
  if (kept.length < given.length) members.set('context_management', JSON.stringify({ ...management, edits: kept }))
}

type Blocks = {
  readonly edits: readonly JsonEdit[]
  readonly dropped: ReadonlySet<string>
  /** The messages that held foreign blocks, without them. */
  readonly own: ReadonlyMap<JsonObject, JsonObject>
  readonly changed: ReadonlySet<JsonObject>
}

const NO_BLOCKS: Blocks = { edits: [], dropped: new Set(), own: new Map(), changed: new Set() }

function foreignBlocks(messages: readonly unknown[], isClaude: boolean): Blocks {
  const edits: JsonEdit[] = []
  const dropped = new Set<string>()
  const own = new Map<JsonObject, JsonObject>()
  for (const [index, message] of messages.entries()) {
    const content: unknown = isRecord(message) ? message['content'] : undefined
    if (!isRecord(message) || message['role'] !== 'assistant' || !Array.isArray(content)) continue
    const path = ['messages', index]
    const isForeign = (block: unknown) => isRecord(block) && isForeignThinking(block, isClaude)
    const kept = content.filter((block) => !isForeign(block))
    if (kept.length < content.length) {
      dropped.add('earlier reasoning')
      own.set(message, { ...message, content: kept })
    }
    // A turn that was nothing but thinking is gone with it: an empty one is refused in the middle.
    if (kept.length === 0 && content.length > 0) {
      edits.push({ path, value: undefined })
      continue
    }
    for (const [at, block] of content.entries()) {
      if (isForeign(block)) edits.push({ path: [...path, 'content', at], value: undefined })
      if (!isClaude || !isRecord(block) || !hasForeignCitations(block)) continue
      edits.push({ path: [...path, 'content', at, 'citations'], value: undefined })
      dropped.add('citations')
    }
  }
  return { edits, dropped, own, changed: new Set(own.values()) }
}

function isForeignThinking(block: JsonObject, isClaude: boolean): boolean {
  const { type } = block
  if (type !== 'thinking' && type !== 'redacted_thinking') return false
  const seal = type === 'thinking' ? block['signature'] : block['data']
  if (typeof seal === 'string' && isWrappedSeal(seal)) return true
  return isClaude && (seal === '' || seal === undefined || seal === null)
}

function hasForeignCitations(block: JsonObject): boolean {
  const citations = block['type'] === 'text' ? block['citations'] : undefined
  return (
    Array.isArray(citations) && citations.some((citation) => isRecord(citation) && citation['encrypted_index'] === '')
  )
}

function idEdits(messages: readonly unknown[]): readonly JsonEdit[] {
  const ids = new IdEdits(new CallIds(plainIds(MAX_ID_LENGTH)))
  for (const [index, message] of messages.entries()) {
    const content: unknown = isRecord(message) ? message['content'] : undefined
    if (isRecord(message) && message['role'] !== 'assistant') ids.other()
    if (!Array.isArray(content)) continue
    for (const [at, block] of content.entries()) {
      if (!isRecord(block)) continue
      const { type } = block
      if (type === 'tool_use') ids.call(block['id'], ['messages', index, 'content', at, 'id'])
      else if (type === 'tool_result')
        ids.result(block['tool_use_id'], ['messages', index, 'content', at, 'tool_use_id'])
    }
  }
  return ids.edits
}
