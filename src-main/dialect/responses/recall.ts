// Puts kept answers where a request of the responses format only names them: items by their ids, and the conversation before it by the id
// of its last answer. From then on the request is one that says everything itself, for holds as for providers of every dialect.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { ClientRequest, KeptAnswers, StaysNamed, WentOn } from '#dialect/dialect.ts'
import { editedMembers, type JsonEdit } from '#dialect/json-edit.ts'
import { editObject } from '#dialect/json-text.ts'
import { isRecord, parseBody, type RequestBody } from '#dialect/request-body.ts'

/** In characters. A short request could otherwise be made into work without end. */
const MAX_RECALLED = 4 * 1024 * 1024

export function recallResponses(request: ClientRequest, kept: KeptAnswers, stays: StaysNamed): ClientRequest | Refusal {
  const { body } = request
  const named = itemsByName(body.value['input'], kept, stays)
  if (isRefusal(named)) return named
  const before = conversationBefore(body.value['previous_response_id'], kept, stays)
  if (before === undefined && named.length === 0) return request
  const length = named.reduce((sum, { value }) => sum + (value?.length ?? 0), before?.text.length ?? 0)
  if (length > MAX_RECALLED) return refuse('request_too_large', 'The earlier answers that are named are too long.')
  const input = editedMembers(body, named).get('input')
  if (before === undefined) return withInput(request, new Map([['input', input ?? '[]']]))
  const asked = itemsOf(body, input)
  const wentOn = { previousId: before.id, asked }
  // OpenAI and those who speak like it take null for a member that is not given.
  const edits = new Map([
    ['input', `[${before.text},${asked}]`],
    ['previous_response_id', 'null'],
  ])
  return withInput(request, edits, wentOn)
}

/**
 * What a request itself asked, for those that go on from its answer. undefined for one that names items: its client keeps the conversation
 * itself, and what is named may be forgotten before.
 */
export function askedIn({ body, wentOn }: ClientRequest): string | undefined {
  const { input } = body.value
  if (Array.isArray(input) && input.some((item) => namedItem(item) !== undefined)) return undefined
  return wentOn?.asked ?? itemsOf(body)
}

/** The id of an item that is named and not sent; OpenAI lets the type be left out. */
function namedItem(item: unknown): string | undefined {
  if (!isRecord(item)) return undefined
  const { type, id, role } = item
  const isName = type === 'item_reference' || ((type === undefined || type === null) && role === undefined)
  return isName && typeof id === 'string' ? id : undefined
}

function itemsByName(input: unknown, kept: KeptAnswers, stays: StaysNamed): readonly JsonEdit[] | Refusal {
  if (!Array.isArray(input)) return []
  const edits: JsonEdit[] = []
  const known = new Set<string>()
  for (const [index, item] of input.entries()) {
    const id = namedItem(item)
    const answer = id === undefined ? undefined : kept.withItem(id)
    if (id === undefined || answer === undefined || stays(answer)) continue
    if (known.has(id)) {
      const message = `Duplicate item found with id '${id}'. Remove the duplicate from 'input'.`
      return refuse('invalid_request', message, { param: 'input' })
    }
    known.add(id)
    edits.push({ path: ['input', index], value: answer.items().find((one) => one.id === id)?.text })
  }
  return edits
}

/** The whole conversation up to an answer and with it; undefined where a part of it is not known any more. */
function conversationBefore(id: unknown, kept: KeptAnswers, stays: StaysNamed) {
  const last = typeof id === 'string' ? kept.answer(id) : undefined
  if (last === undefined || stays(last)) return undefined
  const turns: string[] = []
  let length = 0
  let next: string | undefined = last.id
  while (next !== undefined) {
    const answer = kept.answer(next)
    if (answer?.asked === undefined) return undefined
    const turn = [answer.asked, ...answer.items().map(({ text }) => text)].join(',')
    turns.push(turn)
    length += turn.length
    next = length > MAX_RECALLED ? undefined : answer.previousId
  }
  return { id: last.id, text: turns.toReversed().join(',') }
}

/** The items of an input, also of one that is a text alone. */
function itemsOf({ text, scan, value }: RequestBody, edited?: string): string {
  const where = scan.members.get('input')
  const input = edited ?? (where === undefined ? '[]' : text.slice(where.start, where.end))
  if (typeof value['input'] === 'string') return `{"role":"user","content":${input}}`
  return input.slice(1, -1)
}

function withInput(
  request: ClientRequest,
  edits: ReadonlyMap<string, string>,
  wentOn?: WentOn,
): ClientRequest | Refusal {
  const text = editObject(request.body.text, request.body.scan, edits)
  const body = parseBody(text, Buffer.byteLength(text))
  if (isRefusal(body)) return body
  return wentOn === undefined ? { ...request, body } : { ...request, body, wentOn }
}
