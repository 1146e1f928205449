// Compaction: a client asks for a summary of its conversation by an item at the end of its input, and gets one item back that stands for the
// conversation from then on. OpenAI gives an item that nobody else can read. Every other model is asked for the summary in words, and the item
// holds it as it is: it is the client's own.

import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { AskedInPath, ClientRequest } from '#dialect/dialect.ts'
import { editObject } from '#dialect/json-text.ts'
import { isOpenAiModel } from '#dialect/openai-models.ts'
import type { AnswerPart } from '#dialect/part.ts'
import { isRecord, parseBody, type BodyText, type RequestBody } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Where a summary is asked for by the path alone. */
export const COMPACT: AskedInPath = { model: '', method: 'compact', isEvents: false }

const TRIGGER = 'compaction_trigger'
const TRIGGER_ITEM = JSON.stringify({ type: TRIGGER })
const PREFIX = 'farebox-summary1.'

export const COMPACTION_WISH = `Your room for this conversation is nearly used up. Write down now what somebody needs who takes over from here and sees nothing of it but your text and the first instructions. Write, as far as there is something to say:
- what the user wants, in their own words where these matter, with every rule and preference that they gave;
- what was done and found out so far, with exact names, paths, commands, values and errors;
- what was decided, and why;
- what is unfinished, and the very next step.
Do not go on with the task, call no tools, and write nothing else.`

const SUMMARY_HEAD = `The conversation before this was too long and has been replaced with this summary of it:\n\n`

/** Whether a request ends in the wish for a summary. */
export function asksForCompaction({ input }: JsonObject): boolean {
  const last: unknown = Array.isArray(input) ? input.at(-1) : undefined
  return isRecord(last) && last['type'] === TRIGGER
}

/** Whether a provider that speaks the format understands the wish: only OpenAI does. */
export function isCompactedBy({ body }: ClientRequest, upstreamModel: string): boolean {
  return !asksForCompaction(body.value) || isOpenAiModel(upstreamModel)
}

/** The body with the wish behind its input, for the path that says it. What has no input stays as it is, to be refused. */
export function withCompactionWish(text: BodyText, byteLength: number): RequestBody | Refusal {
  const body = parseBody(text, byteLength)
  if (isRefusal(body)) return body
  const items = itemsOf(body)
  if (items === undefined) return body
  const edited = editObject(body.text, body.scan, new Map([['input', `[${[...items, TRIGGER_ITEM].join(',')}]`]]))
  return parseBody(edited, Buffer.byteLength(edited))
}

/** Texts of items; undefined where there are none that could be summed up. */
function itemsOf({ value, text, scan }: RequestBody): readonly string[] | undefined {
  const { input, previous_response_id: previous } = value
  if (typeof input === 'string' && input !== '') return [JSON.stringify({ role: 'user', content: input })]
  const where = scan.members.get('input')
  if (Array.isArray(input) && where !== undefined) {
    return input.length === 0 ? undefined : [text.slice(where.start + 1, where.end - 1)]
  }
  return (input === undefined || input === null) && typeof previous === 'string' ? [] : undefined
}

export function compactionItem(id: string, summary: string): JsonObject {
  return { id, type: 'compaction', encrypted_content: PREFIX + summary }
}

/** What the user's side says in place of an item of ours; undefined for any other item. */
export function summaryIn({ type, encrypted_content: sealed }: JsonObject): string | undefined {
  if (type !== 'compaction' || typeof sealed !== 'string' || !sealed.startsWith(PREFIX)) return undefined
  return SUMMARY_HEAD + sealed.slice(PREFIX.length)
}

/** Of an answer only its texts, as one block: one item has to come of it. */
export class SummaryParts {
  #hasText = false
  #isInText = false

  keep(part: AnswerPart): boolean {
    if (part.type === 'open') {
      const isFirst = part.block.type === 'text' && !this.#hasText
      this.#isInText = part.block.type === 'text'
      this.#hasText ||= this.#isInText
      return isFirst
    }
    if (part.type === 'delta') return this.#isInText
    return part.type !== 'close' && part.type !== 'citation'
  }
}
