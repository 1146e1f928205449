// What the events of a chat completion stream say, for passing it on: usage is taken from whichever chunk carries it, and what
// Farebox asked for on its own account is taken out again.

import { UpstreamFailure } from '#core/failure.ts'
import type { Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import { addBeside, addGenerated } from '#dialect/chat-completions/measure.ts'
import { chatStreamError } from '#dialect/chat-completions/errors.ts'
import { reportedErrorIn } from '#dialect/chat-completions/reported-error.ts'
import { readAnswerUsage, writeUsage } from '#dialect/chat-completions/usage.ts'
import type { SaidText } from '#dialect/event-mould.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { removeMember, scanObject } from '#dialect/json-text.ts'
import { AsideMembers } from '#dialect/output-rules.ts'
import type { StreamTap } from '#dialect/pass-stream.ts'
import { ReportedUsage } from '#dialect/reported-usage.ts'
import { isRecord } from '#dialect/request-body.ts'
import { eventData, KEEP_ALIVE } from '#dialect/sse.ts'
import type { JsonObject } from '#dialect/turn.ts'

const DONE = 'data: [DONE]\n\n'
/** What `include_usage` adds to every chunk but the last; it is taken out when only Farebox asked. */
const NULL_USAGE = ',"usage":null'

/** What all chunks of an answer have in common, those of Farebox's own too. */
type Head = {
  readonly id?: unknown
  readonly object?: unknown
  readonly created?: unknown
  readonly model?: unknown
  readonly system_fingerprint?: unknown
}

/** What a choice is made of. */
export type ChoiceForm = {
  /** Takes note of what a choice brings. */
  add(generated: GeneratedText, choice: JsonObject): void
  /** The members of a choice that brings nothing more; `isBegun` where it had brought anything. */
  empty(isBegun: boolean): JsonObject
}

const CHAT_CHOICES: ChoiceForm = {
  add(generated, { delta, message }) {
    // Some servers send the whole message once, in the form of an answer that is not streamed.
    addGenerated(generated, isRecord(delta) || generated.bytes > 0 ? delta : message)
  },
  empty: (isBegun) => ({ delta: isBegun ? {} : { role: 'assistant', content: '' } }),
}

type ChatTapOptions = {
  readonly wantsUsage: boolean
  readonly choices?: number
  readonly form?: ChoiceForm
}

export class ChatTap implements StreamTap {
  readonly #wantsUsage: boolean
  readonly #form: ChoiceForm
  readonly #choiceCount: number
  /** For each choice that was begun, whether it has its finish reason. */
  readonly #choices = new Map<number, boolean>()
  #head: Head = {}
  readonly generated = new GeneratedText('latin1')
  readonly reported = new ReportedUsage(this.generated)
  readonly #asides = new AsideMembers(this.generated)
  said: SaidText | undefined
  /** Whether the last chunk had a member for the usage that said nothing. */
  #hasNullUsage = false
  /** Comments that come before the first event are no part of an answer yet. */
  hasBegun = false
  isComplete = false

  /** `audioFormat`: in which the request asked for sound. */
  constructor(options: ChatTapOptions, audioFormat?: string) {
    this.generated.audioFormat = audioFormat
    this.#form = options.form ?? CHAT_CHOICES
    this.#wantsUsage = options.wantsUsage
    this.#choiceCount = options.choices ?? 1
  }

  read(event: string, chunk: JsonObject): string {
    this.hasBegun = true
    this.said = undefined
    const bytesBefore = this.generated.bytes
    if (chunk['error'] !== undefined && chunk['error'] !== null) throw reportedErrorIn(event)
    if (!hasId(this.#head)) this.#head = headOf(chunk)
    const choices = chunk['choices']
    // Behind the end a chunk says what was used, and nothing more is generated.
    if (!this.reported.hasEnded) addBeside(this.#asides, chunk)
    if (Array.isArray(choices)) for (const choice of choices) this.#readChoice(choice)
    const usage = chunk['usage']
    this.#hasNullUsage = usage === null
    const told = readAnswerUsage(chunk)
    if (told !== undefined) this.reported.note(told)
    else if (usage === undefined || usage === null) this.said = this.#saidSince(bytesBefore)
    return this.#wantsUsage || usage === undefined ? event : withoutUsage(event, chunk)
  }

  again(event: string, { text }: SaidText): string {
    this.generated.add(text)
    return this.#wantsUsage || !this.#hasNullUsage ? event : withoutUsage(event, { usage: null })
  }

  /** The one text that the chunk brought. The first text of all may be a whole message, which the next one is not. */
  #saidSince(bytesBefore: number): SaidText | undefined {
    const { bytes, latest } = this.generated
    return bytesBefore > 0 && bytes - bytesBefore === latest.length ? { text: latest, sequence: undefined } : undefined
  }

  readDone(): void {
    if (this.#choices.size === 0)
      throw new UpstreamFailure('malformed', 'The provider sent a stream without an answer.')
    this.isComplete = true
  }

  end(): string | undefined {
    if (!this.#isFinished()) return undefined
    this.isComplete = true
    return DONE
  }

  fail(refusal: Refusal, requestId: string): Buffer {
    return chatStreamError(refusal, requestId)
  }

  /** Every choice that was asked for finishes, also one that had not begun: a client may wait for each of them. */
  cutShort(usage: TokenUsage): string {
    const head = this.#head
    const wanted = Array.from({ length: this.#choiceCount }, (_, index) => index)
    let text = ''
    for (const index of new Set([...this.#choices.keys(), ...wanted])) {
      if (this.#choices.get(index) === true) continue
      const choice = { index, ...this.#form.empty(this.#choices.has(index)), logprobs: null, finish_reason: 'length' }
      text += dataEvent({ ...head, choices: [choice], ...(this.#wantsUsage ? { usage: null } : {}) })
    }
    if (this.#wantsUsage) text += dataEvent({ ...head, choices: [], usage: writeUsage(usage) })
    return text + DONE
  }

  keepAlive(): string | undefined {
    return this.hasBegun ? KEEP_ALIVE : undefined
  }

  #readChoice(choice: unknown): void {
    if (!isRecord(choice)) return
    const index = typeof choice['index'] === 'number' ? choice['index'] : 0
    this.#form.add(this.generated, choice)
    const finish = choice['finish_reason']
    if (typeof finish === 'string' && finish !== '') {
      this.#choices.set(index, true)
      if (this.#choices.size >= this.#choiceCount && this.#isFinished()) this.reported.noteEnd()
    } else if (!this.#choices.has(index)) this.#choices.set(index, false)
  }

  #isFinished(): boolean {
    for (const isFinished of this.#choices.values()) if (!isFinished) return false
    return this.#choices.size > 0
  }
}

/** Some servers send a chunk before the answer, about filters perhaps, in which the answer has no name yet. */
function hasId({ id }: Head): boolean {
  return typeof id === 'string' && id !== ''
}

function headOf({ id, object, created, model, system_fingerprint }: JsonObject): Head {
  return { id, object, created, model, system_fingerprint }
}

/** Texts of the chunks that were read have one character for each byte, and go out as they came. */
function dataEvent(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`
}

/** The chunk that holds nothing but usage disappears; in others only the member does. */
function withoutUsage(event: string, { usage, choices }: JsonObject): string {
  if (usage !== null && (!Array.isArray(choices) || choices.length === 0)) return ''
  const where = event.indexOf(NULL_USAGE)
  // Nearly every chunk; one with another member of that name, inside a choice perhaps, takes the longer way.
  const behind = where + NULL_USAGE.length
  const isAlone = event.indexOf('"usage"') === where + 1 && event.indexOf('"usage"', behind) === -1
  if (usage === null && where !== -1 && isAlone) return event.slice(0, where) + event.slice(behind)
  const data = eventData(event) ?? ''
  const scan = scanObject(data)
  const start = event.indexOf(data)
  if ('problem' in scan || start === -1) return event
  return event.slice(0, start) + removeMember(data, scan, 'usage') + event.slice(start + data.length)
}
