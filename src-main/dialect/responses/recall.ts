// Puts kept answers where a request of the responses format only names them: items by their ids, and the conversation before it by the id
// of its last answer. From then on the request is one that says everything itself, for holds as for providers of every dialect.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type {
  AskedNames,
  ClientRequest,
  KeptAnswer,
  KeptAnswers,
  KeptItem,
  StaysNamed,
  WentOn,
} from '#dialect/dialect.ts'
import { editedMembers, type JsonEdit } from '#dialect/json-edit.ts'
import { editObject } from '#dialect/json-text.ts'
import { isRecord, parseBody, type RequestBody } from '#dialect/request-body.ts'
import { isKept } from '#dialect/responses/wishes.ts'

/** In characters. A short request could otherwise be made into work without end. */
const MAX_RECALLED = 4 * 1024 * 1024

const TOO_LONG = refuse('request_too_large', 'The earlier answers that are named are too long.')

export function recallResponses(request: ClientRequest, kept: KeptAnswers, stays: StaysNamed): ClientRequest | Refusal {
  const { body } = request
  const remembered = new Remembered(kept, stays)
  const named = itemsByName(body.value['input'], remembered)
  if (isRefusal(named)) return named
  const before = conversationBefore(body.value['previous_response_id'], remembered)
  if (remembered.isTooLong) return TOO_LONG
  if (before === undefined && named.length === 0) return request
  const input = editedMembers(body, named).get('input')
  if (before === undefined) return withInput(request, new Map([['input', input ?? '[]']]))
  const asked = itemsOf(body, input)
  const wentOn = { previousId: before.id, asked }
  // OpenAI and those who speak like it take null for a member that is not given.
  const edits = new Map([
    ['input', `[${joined([before.text, asked])}]`],
    ['previous_response_id', 'null'],
  ])
  return withInput(request, edits, wentOn)
}

/** The kept answers as one request names them: the items of each are made once, and what is put into the request is counted. */
class Remembered {
  readonly #kept: KeptAnswers
  readonly #stays: StaysNamed
  readonly #items = new Map<KeptAnswer, readonly KeptItem[]>()
  #length = 0

  constructor(kept: KeptAnswers, stays: StaysNamed) {
    this.#kept = kept
    this.#stays = stays
  }

  get isTooLong(): boolean {
    return this.#length > MAX_RECALLED
  }

  /** undefined for one that is not known, or that stays named. */
  withItem(id: string): KeptAnswer | undefined {
    const answer = this.#kept.withItem(id)
    return answer === undefined || this.#stays(answer) ? undefined : answer
  }

  /** The answer that a request goes on from; undefined for one that is not known, or that stays named. */
  last(id: string): KeptAnswer | undefined {
    const answer = this.#kept.answer(id)
    return answer === undefined || this.#stays(answer) ? undefined : answer
  }

  answer(id: string): KeptAnswer | undefined {
    return this.#kept.answer(id)
  }

  itemsOf(answer: KeptAnswer): readonly KeptItem[] {
    const items = this.#items.get(answer) ?? answer.items()
    this.#items.set(answer, items)
    return items
  }

  /** Counts a text that is put into the request. */
  add(text: string | undefined): void {
    this.#length += text?.length ?? 0
  }
}

/** What a request names, whoever knows it. */
export function namesIn({ body }: ClientRequest): AskedNames {
  const { input, previous_response_id: previous } = body.value
  const itemIds = Array.isArray(input) ? input.flatMap((item) => namedItem(item) ?? []) : []
  return { itemIds, previousId: typeof previous === 'string' ? previous : undefined }
}

/**
 * What a request itself asked, for those that go on from its answer. undefined for one whose answer is not kept, and for one that names
 * items: its client keeps the conversation itself, and what is named may be forgotten before.
 */
export function askedIn(request: ClientRequest): string | undefined {
  if (!isKept(request)) return undefined
  const { body, wentOn } = request
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

function itemsByName(input: unknown, remembered: Remembered): readonly JsonEdit[] | Refusal {
  if (!Array.isArray(input)) return []
  const edits: JsonEdit[] = []
  const known = new Set<string>()
  for (const [index, item] of input.entries()) {
    const id = namedItem(item)
    const answer = id === undefined ? undefined : remembered.withItem(id)
    if (id === undefined || answer === undefined) continue
    if (known.has(id)) {
      const message = `Duplicate item found with id '${id}'. Remove the duplicate from 'input'.`
      return refuse('invalid_request', message, { param: 'input' })
    }
    known.add(id)
    const value = remembered.itemsOf(answer).find((one) => one.id === id)?.text
    remembered.add(value)
    if (remembered.isTooLong) return TOO_LONG
    edits.push({ path: ['input', index], value })
  }
  return edits
}

/** The whole conversation up to an answer and with it; undefined where a part of it is not known any more, or comes back to itself. */
function conversationBefore(id: unknown, remembered: Remembered) {
  const last = typeof id === 'string' ? remembered.last(id) : undefined
  if (last === undefined) return undefined
  const turns: string[] = []
  const seen = new Set<string>()
  let next: string | undefined = last.id
  while (next !== undefined && !remembered.isTooLong) {
    const answer = remembered.answer(next)
    if (answer?.asked === undefined || seen.has(next)) return undefined
    seen.add(next)
    const turn = joined([answer.asked, ...remembered.itemsOf(answer).map(({ text }) => text)])
    turns.push(turn)
    remembered.add(turn)
    next = answer.previousId
  }
  return { id: last.id, text: joined(turns.toReversed()) }
}

/** Lists of items as one. Those that hold nothing have no comma. */
function joined(lists: readonly string[]): string {
  return lists.filter((items) => items.trim() !== '').join(',')
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
