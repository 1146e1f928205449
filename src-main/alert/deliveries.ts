// Brings alerts to webhooks and mail servers, at least once each: what is to be delivered is on disk before the first attempt, and is tried again until it
// is taken or too old. Each destination is served alone, so that a slow one holds up nobody else.

import { letterOf } from '#alert/message.ts'
import { signedHeaders } from '#alert/signature.ts'
import type { Log } from '#core/log.ts'
import type { After } from '#core/wait-queue.ts'
import { isMailbox, secretOf, type Delivery, type Letter, type Mailbox, type Receiver } from '#core/delivery.ts'
import type { SecretStore } from '#secret/port.ts'

/** What came of one attempt. `problem` is a sentence; undefined where the message was taken. */
export type AttemptOutcome = {
  readonly status: number | undefined
  readonly problem: string | undefined
  /** The other side says that it will never take this message. */
  readonly isFinal?: boolean
}

export type SendMessage = (
  webhook: Receiver,
  message: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
) => Promise<AttemptOutcome>

export type SendLetter = (
  receiver: Mailbox,
  letter: Letter & { readonly id: string },
  password: string | undefined,
) => Promise<AttemptOutcome>

export type DeliveriesOptions = {
  readonly nowMs: () => number
  readonly after: After
  readonly newId: () => string
  readonly secrets: Pick<SecretStore, 'get'>
  /** Neither ever rejects. Of HTTP no redirect is followed. */
  readonly send: SendMessage
  readonly sendLetter: SendLetter
  readonly write: (delivery: Delivery) => Promise<void>
  readonly log: Log
  readonly loaded: { readonly receivers: readonly Receiver[]; readonly deliveries: readonly Delivery[] }
}

/** How long after each attempt the next one is made: ten attempts within a day. */
const RETRY_AFTER_MS = [
  5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000,
] as const
const MAX_ATTEMPTS = RETRY_AFTER_MS.length + 1
const MAX_AGE_MS = 24 * 3_600_000
/** Messages that wait for one receiver. What comes beyond is given up. */
const MAX_WAITING = 200
/** Timers reach no further. */
const LONGEST_TIMER_MS = 3_600_000

type Line = {
  readonly receiver: Receiver
  /** By their ids, in the order in which they came. */
  readonly waiting: Map<string, Delivery>
  last: Delivery | undefined
  serving: Promise<void> | undefined
  cancel: (() => void) | undefined
}

export type ReceiverStanding = {
  readonly receiver: Receiver
  readonly waiting: number
  readonly nextAtMs: number | undefined
  /** The message of which there is the latest news. */
  readonly last: Delivery | undefined
}

export class Deliveries {
  readonly #options: DeliveriesOptions
  readonly #lines = new Map<string, Line>()
  #hasBegun = false
  #isClosed = false

  constructor(options: DeliveriesOptions) {
    this.#options = options
    for (const receiver of options.loaded.receivers) this.add(receiver)
    this.enqueue(options.loaded.deliveries)
  }

  /** Goes on with what an earlier process left. */
  begin(): void {
    this.#hasBegun = true
    for (const line of this.#lines.values()) this.#serveSoon(line)
  }

  add(receiver: Receiver): void {
    this.#lines.set(receiver.id, {
      receiver,
      waiting: new Map(),
      last: undefined,
      serving: undefined,
      cancel: undefined,
    })
  }

  remove(receiverId: string): void {
    this.#lines.get(receiverId)?.cancel?.()
    this.#lines.delete(receiverId)
  }

  find(idOrName: string): Receiver | undefined {
    return (
      this.#lines.get(idOrName) ?? Array.from(this.#lines.values()).find(({ receiver }) => receiver.name === idOrName)
    )?.receiver
  }

  standings(): ReceiverStanding[] {
    return Array.from(this.#lines.values(), ({ receiver, waiting, last }) => ({
      receiver,
      waiting: waiting.size,
      nextAtMs: nextAtMs(waiting),
      last,
    }))
  }

  /** What has to be written together with a message for everybody, where `before` others are made with it. Nothing is sent before `enqueue`. */
  deliveriesOf(body: string, before = 0): Delivery[] {
    return Array.from(this.#lines.values(), ({ receiver, waiting }) => {
      const isTooMany = waiting.size + before >= MAX_WAITING
      return {
        id: `msg_${this.#options.newId()}`,
        receiverId: receiver.id,
        body,
        createdAtMs: this.#options.nowMs(),
        state: isTooMany ? 'given-up' : 'waiting',
        attempts: 0,
        atMs: this.#options.nowMs(),
        status: undefined,
        problem: isTooMany ? 'Too many messages wait for it.' : undefined,
      } as const
    })
  }

  /** Sends what is on disk now, or once it has begun. */
  enqueue(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) {
      const line = this.#lines.get(delivery.receiverId)
      if (line === undefined) continue
      if (delivery.state === 'waiting') line.waiting.set(delivery.id, delivery)
      else line.last = delivery
      this.#serveSoon(line)
    }
  }

  /** Sends one message at once, and never again. */
  test(receiver: Receiver, body: string): Promise<AttemptOutcome> {
    return this.#attempt(receiver, { id: `msg_${this.#options.newId()}`, body })
  }

  /** What is under way comes to its end; the rest waits for the next start. */
  async close(): Promise<void> {
    this.#isClosed = true
    const lines = [...this.#lines.values()]
    for (const { cancel } of lines) cancel?.()
    await Promise.all(lines.flatMap(({ serving }) => serving ?? []))
  }

  #serveSoon(line: Line): void {
    if (!this.#hasBegun || this.#isClosed || line.serving !== undefined || this.#lines.get(line.receiver.id) !== line)
      return
    line.cancel?.()
    const atMs = nextAtMs(line.waiting)
    if (atMs === undefined) return
    const waitMs = Math.min(LONGEST_TIMER_MS, Math.max(0, atMs - this.#options.nowMs()))
    line.cancel = this.#options.after(waitMs, () => {
      line.cancel = undefined
      line.serving = this.#serve(line).finally(() => {
        line.serving = undefined
        this.#serveSoon(line)
      })
    })
  }

  async #serve(line: Line): Promise<void> {
    const nowMs = this.#options.nowMs()
    const due = Array.from(line.waiting.values()).find(({ atMs }) => atMs <= nowMs)
    if (due === undefined) return
    const outcome = isTooOld(due, nowMs) ? undefined : await this.#attempt(line.receiver, due)
    const next = this.#after(due, outcome)
    if (next.state === 'waiting') line.waiting.set(next.id, next)
    else line.waiting.delete(next.id)
    line.last = next
    // Where it cannot be written, the message may come a second time after the next start; its id is the same then.
    await this.#options.write(next).catch(() => undefined)
  }

  async #attempt(receiver: Receiver, message: Pick<Delivery, 'id' | 'body'>): Promise<AttemptOutcome> {
    const { secrets, send, sendLetter, nowMs } = this.#options
    let secret: string | undefined
    try {
      const reference = secretOf(receiver)
      if (reference !== undefined) {
        secret = await secrets.get(reference)
        if (secret === undefined)
          return { status: undefined, problem: 'Its secret is gone. Remove it and add it again.' }
      }
    } catch {
      // The store of secrets says why in the status of the gateway.
      return { status: undefined, problem: 'Its secret cannot be read at the moment.' }
    }
    if (isMailbox(receiver)) return sendLetter(receiver, { ...letterOf(message.body), id: message.id }, secret)
    return send(receiver, { headers: signedHeaders(secret ?? '', message, nowMs()), body: message.body })
  }

  #after(delivery: Delivery, outcome: AttemptOutcome | undefined): Delivery {
    const nowMs = this.#options.nowMs()
    if (outcome === undefined)
      return { ...delivery, state: 'given-up', atMs: nowMs, problem: 'It was not taken for a day.' }
    const attempts = delivery.attempts + 1
    const { status, problem } = outcome
    const tried = { ...delivery, status, problem, attempts, atMs: nowMs }
    if (outcome.problem === undefined) return { ...tried, state: 'delivered' }
    const waitMs = RETRY_AFTER_MS[attempts - 1]
    if (waitMs === undefined || outcome.isFinal === true) return this.#givenUp({ ...tried, state: 'given-up' })
    return { ...tried, state: 'waiting', atMs: nowMs + waitMs }
  }

  #givenUp(delivery: Delivery): Delivery {
    const fields = { webhook_id: delivery.receiverId, attempts: delivery.attempts, max_attempts: MAX_ATTEMPTS }
    this.#options.log('A webhook or mail server did not take a message, which is given up.', {
      event: 'webhook_given_up',
      level: 'warning',
      fields,
    })
    return delivery
  }
}

/** When the first of those that wait is tried. */
function nextAtMs(waiting: Line['waiting']): number | undefined {
  let first: number | undefined
  for (const { atMs } of waiting.values()) if (first === undefined || atMs < first) first = atMs
  return first
}

function isTooOld({ createdAtMs, attempts }: Delivery, nowMs: number): boolean {
  return attempts > 0 && nowMs - createdAtMs > MAX_AGE_MS
}
