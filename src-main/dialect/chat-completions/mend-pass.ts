// What a client brings back in chat messages from answers of other dialects' providers: seals in our wrapping, and ids of calls
// that are not to the taste of the provider.

import { CallIds, plainIds, type IdRule } from '#dialect/call-ids.ts'
import { googleSealOf } from '#dialect/chat-completions/google-seal.ts'
import { nineCharIds } from '#dialect/chat-completions/short-ids.ts'
import type { ClientRequest, PassTarget } from '#dialect/dialect.ts'
import { editedMembers, type JsonEdit } from '#dialect/json-edit.ts'
import { IdEdits, UNMENDED, type Mended } from '#dialect/mended.ts'
import { isOpenAiModel } from '#dialect/openai-models.ts'
import { isRecord } from '#dialect/request-body.ts'
import { holdsWrappedSeal, isWrappedSeal } from '#dialect/seal.ts'
import type { JsonObject } from '#dialect/turn.ts'

const MAX_ID_LENGTH = 64
const MAX_OPENAI_ID_LENGTH = 40
/** Kimi makes ids of this form, and does worse with others. */
const KIMI_ID = /^functions\.[\w-]+:\d+$/

export function mendChatPass({ body }: ClientRequest, target: PassTarget): Mended {
  const messages = body.value['messages']
  if (!Array.isArray(messages)) return UNMENDED
  const seals = holdsWrappedSeal(body.text) ? new SealEdits() : undefined
  const ids = new IdEdits(new CallIds(idRule(target)))
  for (const [index, message] of messages.entries()) {
    if (!isRecord(message)) continue
    seals?.read(message, ['messages', index])
    const { role, tool_calls: calls } = message
    if (Array.isArray(calls)) {
      for (const [at, call] of calls.entries())
        if (isRecord(call)) ids.call(call['id'], ['messages', index, 'tool_calls', at, 'id'])
    }
    if (role === 'tool') ids.result(message['tool_call_id'], ['messages', index, 'tool_call_id'])
    else if (role !== 'assistant') ids.other()
  }
  const edits = seals === undefined ? ids.edits : [...seals.edits, ...ids.edits]
  if (edits.length === 0) return UNMENDED
  return { members: editedMembers(body, edits), dropped: [...(seals?.dropped ?? [])] }
}

function idRule({ upstreamModel, quirks }: PassTarget): IdRule {
  if (quirks.toolIds === 'alphanumeric-9') return nineCharIds
  if (isOpenAiModel(upstreamModel)) return plainIds(MAX_OPENAI_ID_LENGTH)
  return plainIds(MAX_ID_LENGTH, /kimi/i.test(upstreamModel) ? KIMI_ID : undefined)
}

/** Takes wrapped seals out: they are of other providers, and of no use without the text and the id beside them. */
class SealEdits {
  readonly edits: JsonEdit[] = []
  readonly dropped = new Set<string>()

  read(message: JsonObject, path: JsonEdit['path']): void {
    this.#details(message['reasoning_details'], [...path, 'reasoning_details'])
    for (const [index, call] of list(message['tool_calls']).entries()) {
      if (!isRecord(call) || !isWrapped(googleSealOf(call))) continue
      this.edits.push({ path: [...path, 'tool_calls', index, 'extra_content'], value: undefined })
      this.dropped.add('thinking signature')
    }
  }

  #details(details: unknown, path: JsonEdit['path']): void {
    const given = list(details)
    const foreign = given.flatMap((detail, index) => (isForeign(detail) ? [index] : []))
    if (foreign.length === 0) return
    this.dropped.add('earlier reasoning')
    if (foreign.length === given.length) this.edits.push({ path, value: undefined })
    else for (const index of foreign) this.edits.push({ path: [...path, index], value: undefined })
  }
}

function isForeign(detail: unknown): boolean {
  return isRecord(detail) && (isWrapped(detail['signature']) || isWrapped(detail['data']))
}

function isWrapped(seal: unknown): boolean {
  return typeof seal === 'string' && isWrappedSeal(seal)
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
