// Destinations of alerts, and what is on its way to them.

import type { Network } from '#core/entities.ts'

export type Webhook = {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly network: Network
  readonly createdAtMs: number
}

/** `waiting` for its next attempt, `delivered`, or `given-up`. */
export type DeliveryState = 'waiting' | 'delivered' | 'given-up'

/** One message to one destination. Its id is the same in every attempt. */
export type Delivery = {
  readonly id: string
  readonly webhookId: string
  readonly body: string
  readonly createdAtMs: number
  readonly state: DeliveryState
  readonly attempts: number
  /** When it is tried next; of one that has ended, when that was. */
  readonly atMs: number
  /** The status of the last answer; undefined where there was none. */
  readonly status: number | undefined
  /** What went wrong in the last attempt; undefined where nothing did. */
  readonly problem: string | undefined
}
