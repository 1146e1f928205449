// Brings alerts to webhooks, at least once each: what is to be delivered is on disk before the first attempt, and is tried again until it
// is taken or too old. Each destination is served alone, so that a slow one holds up nobody else.

import { signedHeaders } from '#alert/signature.ts'
import type { Log } from '#core/log.ts'
import type { After } from '#core/wait-queue.ts'
import type { Delivery, Webhook } from '#core/webhook.ts'
import type { SecretStore } from '#secret/port.ts'

/** What came of one attempt. `problem` is a sentence; undefined where the message was taken. */
export type AttemptOutcome = { readonly status: number | undefined; readonly problem: string | undefined }

export type SendMessage = (
  webhook: Webhook,
  message: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
) => Promise<AttemptOutcome>

export type WebhooksOptions = {
  readonly nowMs: () => number
  readonly after: After
  readonly newId: () => string
  readonly secrets: Pick<SecretStore, 'get'>
  /** Never rejects, and follows no redirect. */
  readonly send: SendMessage
  readonly write: (delivery: Delivery) => Promise<void>
  readonly log: Log
  readonly loaded: { readonly webhooks: readonly Webhook[]; readonly deliveries: readonly Delivery[] }
}

/** How long after each attempt the next one is made: ten attempts within a day. */
const RETRY_AFTER_MS = [
  5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000,
] as const
const MAX_ATTEMPTS = RETRY_AFTER_MS.length + 1
const MAX_AGE_MS = 24 * 3_600_000
/** Messages that wait for one webhook. What comes beyond is given up. */
const MAX_WAITING = 200
/** Timers reach no further. */
const LONGEST_TIMER_MS = 3_600_000

type Line = {
  readonly webhook: Webhook
  /** By their ids, in the order in which they came. */
  readonly waiting: Map<string, Delivery>
  last: Delivery | undefined
  serving: Promise<void> | undefined
  cancel: (() => void) | undefined
}

export type WebhookStanding = {
  readonly webhook: Webhook
  readonly waiting: number
  readonly nextAtMs: number | undefined
  /** The message of which there is the latest news. */
  readonly last: Delivery | undefined
}

export class Webhooks {
  readonly #options: WebhooksOptions
  readonly #lines = new Map<string, Line>()
  #hasBegun = false
  #isClosed = false

  constructor(options: WebhooksOptions) {
    this.#options = options
    for (const webhook of options.loaded.webhooks) this.add(webhook)
    this.enqueue(options.loaded.deliveries)
  }

  /** Goes on with what an earlier process left. */
  begin(): void {
    this.#hasBegun = true
    for (const line of this.#lines.values()) this.#serveSoon(line)
  }

  add(webhook: Webhook): void {
    this.#lines.set(webhook.id, { webhook, waiting: new Map(), last: undefined, serving: undefined, cancel: undefined })
  }

  remove(webhookId: string): void {
    this.#lines.get(webhookId)?.cancel?.()
    this.#lines.delete(webhookId)
  }

  find(idOrName: string): Webhook | undefined {
    return (
      this.#lines.get(idOrName) ?? Array.from(this.#lines.values()).find(({ webhook }) => webhook.name === idOrName)
    )?.webhook
  }

  standings(): WebhookStanding[] {
    return Array.from(this.#lines.values(), ({ webhook, waiting, last }) => ({
      webhook,
      waiting: waiting.size,
      nextAtMs: nextAtMs(waiting),
      last,
    }))
  }

  /** What has to be written together with a message for everybody, where `before` others are made with it. Nothing is sent before `enqueue`. */
  deliveriesOf(body: string, before = 0): Delivery[] {
    return Array.from(this.#lines.values(), ({ webhook, waiting }) => {
      const isTooMany = waiting.size + before >= MAX_WAITING
      return {
        id: `msg_${this.#options.newId()}`,
        webhookId: webhook.id,
        body,
        createdAtMs: this.#options.nowMs(),
        state: isTooMany ? 'given-up' : 'waiting',
        attempts: 0,
        atMs: this.#options.nowMs(),
        status: undefined,
        problem: isTooMany ? 'Too many messages wait for this webhook.' : undefined,
      } as const
    })
  }

  /** Sends what is on disk now, or once it has begun. */
  enqueue(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) {
      const line = this.#lines.get(delivery.webhookId)
      if (line === undefined) continue
      if (delivery.state === 'waiting') line.waiting.set(delivery.id, delivery)
      else line.last = delivery
      this.#serveSoon(line)
    }
  }

  /** Sends one message at once, and never again. */
  test(webhook: Webhook, body: string): Promise<AttemptOutcome> {
    return this.#attempt(webhook, { id: `msg_${this.#options.newId()}`, body })
  }

  /** What is under way comes to its end; the rest waits for the next start. */
  async close(): Promise<void> {
    this.#isClosed = true
    const lines = [...this.#lines.values()]
    for (const { cancel } of lines) cancel?.()
    await Promise.all(lines.flatMap(({ serving }) => serving ?? []))
  }

  #serveSoon(line: Line): void {
    if (!this.#hasBegun || this.#isClosed || line.serving !== undefined || this.#lines.get(line.webhook.id) !== line)
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
    const outcome = isTooOld(due, nowMs) ? undefined : await this.#attempt(line.webhook, due)
    const next = this.#after(due, outcome)
    if (next.state === 'waiting') line.waiting.set(next.id, next)
    else line.waiting.delete(next.id)
    line.last = next
    // Where it cannot be written, the message may come a second time after the next start; its id is the same then.
    await this.#options.write(next).catch(() => undefined)
  }

  async #attempt(webhook: Webhook, message: Pick<Delivery, 'id' | 'body'>): Promise<AttemptOutcome> {
    try {
      const secret = await this.#options.secrets.get({ providerId: webhook.id, origin: new URL(webhook.url).origin })
      if (secret === undefined) return { status: undefined, problem: 'Its secret is gone. Remove it and add it again.' }
      const headers = signedHeaders(secret, message, this.#options.nowMs())
      return await this.#options.send(webhook, { headers, body: message.body })
    } catch {
      // The store of secrets says why in the status of the gateway.
      return { status: undefined, problem: 'Its secret cannot be read at the moment.' }
    }
  }

  #after(delivery: Delivery, outcome: AttemptOutcome | undefined): Delivery {
    const nowMs = this.#options.nowMs()
    if (outcome === undefined)
      return { ...delivery, state: 'given-up', atMs: nowMs, problem: 'It was not taken for a day.' }
    const attempts = delivery.attempts + 1
    const tried = { ...delivery, ...outcome, attempts, atMs: nowMs }
    if (outcome.problem === undefined) return { ...tried, state: 'delivered' }
    const waitMs = RETRY_AFTER_MS[attempts - 1]
    // 410 is how a receiver says that it wants no more.
    if (waitMs === undefined || outcome.status === GONE) return this.#givenUp({ ...tried, state: 'given-up' })
    return { ...tried, state: 'waiting', atMs: nowMs + waitMs }
  }

  #givenUp(delivery: Delivery): Delivery {
    const fields = { webhook_id: delivery.webhookId, attempts: delivery.attempts, max_attempts: MAX_ATTEMPTS }
    this.#options.log('A webhook did not take a message, which is given up.', {
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

const GONE = 410

function isTooOld({ createdAtMs, attempts }: Delivery, nowMs: number): boolean {
  return attempts > 0 && nowMs - createdAtMs > MAX_AGE_MS
}
