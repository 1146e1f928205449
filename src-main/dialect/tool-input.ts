// A tool's input between its two forms: JSON text in the hub, an object in messages. Models and other clients write that text,
// and no scan of a body has looked into it: what is nested so deeply that it could not be written again is no input.

import { brokenOutput } from '#core/failure.ts'
import { scanObject } from '#dialect/json-text.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** The object; undefined for a text that is none, or one that no tool could have meant. */
export function readInput(text: string): JsonObject | undefined {
  if (text.trim() === '') return {}
  if ('problem' in scanObject(text)) return undefined
  const value = parseJson(text)
  return isRecord(value) ? value : undefined
}

/** The text of an input that a provider sent as an object; empty for an empty one, which streams begin with. */
export function writeInput(input: unknown): string {
  return !isRecord(input) || Object.keys(input).length === 0 ? '' : objectText(input)
}

/** The text of an object that a provider sent. */
export function objectText(value: JsonObject): string {
  try {
    return JSON.stringify(value)
  } catch {
    // Only the depth can be wrong with a value that was JSON.
    throw brokenOutput('The provider sent something that is nested too deeply.')
  }
}
