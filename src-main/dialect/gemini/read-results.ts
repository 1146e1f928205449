// Reads what a client's function gave back. Gemini wants an object; the result stands in a member of it, by names that differ between clients,
// or is all of it.

import type { CallPairs } from '#dialect/gemini/call-pairs.ts'
import { readPlain } from '#dialect/gemini/read-parts.ts'
import type { Reading } from '#dialect/messages/reading.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject, ToolResult } from '#dialect/turn.ts'

/** Where clients put a result that is no object: Google's SDKs, Farebox and others, the AI SDK. */
const RESULTS = ['output', 'result', 'content']

/** What readers of parts share: which result belongs to which call, and what is wrong or dropped. */
export type PartReading = { readonly pairs: CallPairs; readonly reading: Reading }

export function readResult(response: JsonObject, path: string, { pairs, reading }: PartReading): ToolResult[] {
  const name = reading.name(response, 'name', path)
  const { id, response: given = {}, parts } = response
  if (!isRecord(given)) reading.refuse(`${path}.response`, 'must be an object')
  if (name === undefined || !isRecord(given)) return []
  const callId = pairs.result(name, typeof id === 'string' && id !== '' ? id : undefined)
  const { text, isError } = resultOf(given, name)
  const content: ToolResult['content'][number][] = text === '' ? [] : [{ type: 'text', text }]
  for (const [index, part] of (Array.isArray(parts) ? parts : []).entries()) {
    const media = isRecord(part) ? (readPlain(part, `${path}.parts[${index}]`, reading) ?? []) : []
    for (const one of media) {
      if (one.type === 'audio') reading.drop('audio in the response of a function')
      else content.push(one)
    }
  }
  return [{ callId, content, isError }]
}

function resultOf(given: JsonObject, name: string): { readonly text: string; readonly isError: boolean } {
  const members = Object.keys(given).filter((member) => member !== 'name' || given['name'] !== name)
  const [member] = members
  if (members.length !== 1 || member === undefined) return { text: JSON.stringify(given), isError: false }
  if (member === 'error') return { text: textOf(given[member]), isError: true }
  return { text: RESULTS.includes(member) ? textOf(given[member]) : JSON.stringify(given), isError: false }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
