// Passes a request in the Gemini format on as it came. Edited are the output cap, and what was mended of earlier answers that came
// from elsewhere; the path names the model.

import type { ClientRequest, PassEdits } from '#dialect/dialect.ts'
import { field, spellingOf } from '#dialect/gemini/fields.ts'
import { editObject, scanObject, withoutMember } from '#dialect/json-text.ts'
import { isRecord, type RequestBody } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** What the path says. A provider could take the model of the body for the one that is meant. */
const OF_PATH = ['model', 'stream']
/** The smallest budget that every model with budgets takes. */
const MIN_FITTED_BUDGET = 512

/** The request's text for the provider. */
export function editGeminiRequest({ body, outputCap }: ClientRequest, edits: PassEdits): string {
  const changes = new Map(edits.mended.members)
  const after = edits.outputCap
  if (after !== undefined && after !== outputCap) {
    const name = spellingOf(body.value, 'generationConfig') ?? 'generationConfig'
    changes.set(name, withCap(body, name, { before: outputCap, after }))
  }
  const text = editObject(body.text, body.scan, changes)
  // By the scan, which resolves the escapes in names as the provider does.
  return OF_PATH.filter((name) => body.scan.members.has(name)).reduce(withoutMember, text)
}

type Cap = { readonly before: number | undefined; readonly after: number }

function withCap({ value, text, scan }: RequestBody, name: string, cap: Cap): string {
  const config = value[name]
  const where = scan.members.get(name)
  if (!isRecord(config) || where === undefined) return JSON.stringify({ maxOutputTokens: cap.after })
  const inner = text.slice(where.start, where.end)
  const innerScan = scanObject(inner)
  const changes = new Map([[spellingOf(config, 'maxOutputTokens') ?? 'maxOutputTokens', String(cap.after)]])
  fitThinking(config, cap, changes)
  return 'problem' in innerScan
    ? JSON.stringify({ ...config, maxOutputTokens: cap.after })
    : editObject(inner, innerScan, changes)
}

/** Thinking counts against the cap: a budget that only the lowered cap passes would leave no room for an answer, and gets half. */
function fitThinking(config: JsonObject, { before, after }: Cap, changes: Map<string, string>): void {
  const name = spellingOf(config, 'thinkingConfig')
  const thinking = name === undefined ? undefined : config[name]
  if (name === undefined || !isRecord(thinking)) return
  const budget = field(thinking, 'thinkingBudget')
  if (typeof budget !== 'number' || budget < after || budget >= (before ?? Infinity)) return
  const fitted = Math.max(MIN_FITTED_BUDGET, Math.floor(after / 2))
  const spelling = spellingOf(thinking, 'thinkingBudget') ?? 'thinkingBudget'
  changes.set(name, JSON.stringify({ ...thinking, [spelling]: fitted }))
}
