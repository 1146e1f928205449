// What the rules of all providers are written with.

import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

export function record(value: unknown): JsonObject {
  return isRecord(value) ? value : {}
}

export function list(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

export function fail(what: string): never {
  throw new Error(`a provider would refuse this: ${what}`)
}
