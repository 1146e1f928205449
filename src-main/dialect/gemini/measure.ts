// What a model generated in a candidate. Used for estimates only, where a provider reports no usage.

import type { GeneratedText } from '#dialect/generated-text.ts'
import { writeInput } from '#dialect/tool-input.ts'
import { isRecord } from '#dialect/request-body.ts'

/** Adds what a candidate holds, or a piece of it: texts, thoughts, code and calls. */
export function addGeneratedCandidate(generated: GeneratedText, candidate: unknown): void {
  const content = isRecord(candidate) ? candidate['content'] : undefined
  const parts = isRecord(content) ? content['parts'] : undefined
  if (!Array.isArray(parts)) return
  for (const part of parts) {
    if (!isRecord(part)) continue
    const { text, functionCall: call, executableCode: code } = part
    add(generated, text)
    if (isRecord(code)) add(generated, code['code'])
    if (isRecord(call)) addCall(generated, call)
  }
}

function addCall(generated: GeneratedText, { name, args, partialArgs }: Readonly<Record<string, unknown>>): void {
  add(generated, name)
  generated.add(writeInput(args))
  if (!Array.isArray(partialArgs)) return
  for (const piece of partialArgs) if (isRecord(piece)) add(generated, piece['stringValue'])
}

function add(generated: GeneratedText, value: unknown): void {
  if (typeof value === 'string') generated.add(value)
}
