// A feature of a request: the smallest valid request that has it. What becomes of it at a provider is found out by asking.

import type { JsonObject } from '#dialect/turn.ts'

export type Feature = {
  /** The row of the table; members of the format are set as code. */
  readonly name: string
  readonly body: JsonObject
  /** The same request without the feature. */
  readonly without: JsonObject
  /** What must be found in the request that is sent, where the feature has content that must not be lost. */
  readonly marker?: string
  /** It is a member of the body, so that any difference that it makes to what is sent is of its making. */
  readonly isMember?: true
  /** It is about the answer, or about what holds anyway or Farebox does itself: not every provider has to be told. */
  readonly isOwn?: true
}

/** In every content of the probes, so that it can be found wherever it went. */
export const MARKER = 'MarkerQ7x'
/** The same where only base64 may stand. */
export const SEAL = 'TWFya2VyUTd4U2VhbA'
