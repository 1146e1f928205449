// Lists of models and errors of providers that may speak any dialect: what of them has the shape that most have.

import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** The entries of a list, or the bare list, with which Together answers. */
export function entriesOf(body: unknown): readonly unknown[] | undefined {
  const entries = Array.isArray(body) ? (body as readonly unknown[]) : recordOf(body)['data']
  return Array.isArray(entries) ? entries : undefined
}

/** The body of an error; Google sends a list of one from some of its addresses. */
export function errorBodyOf(body: unknown): JsonObject {
  return recordOf(Array.isArray(body) ? body[0] : body)
}

export function hasId(entry: unknown): boolean {
  return typeof recordOf(entry)['id'] === 'string'
}

export function recordOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {}
}
