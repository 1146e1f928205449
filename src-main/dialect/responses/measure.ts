// What a model generated in a whole answer of the responses format. Used for estimates only, where a provider reports no usage.

import type { GeneratedText } from '#dialect/generated-text.ts'
import { isRecord } from '#dialect/request-body.ts'

/** Adds what a whole answer's output items hold. */
export function addGeneratedOutput(generated: GeneratedText, output: readonly unknown[]): void {
  for (const item of output) {
    if (!isRecord(item)) continue
    for (const name of ['name', 'arguments', 'input', 'code']) add(generated, item[name])
    for (const name of ['content', 'summary']) addParts(generated, item[name])
  }
}

function addParts(generated: GeneratedText, parts: unknown): void {
  if (!Array.isArray(parts)) return
  for (const part of parts) {
    if (!isRecord(part)) continue
    add(generated, part['text'])
    add(generated, part['refusal'])
  }
}

function add(generated: GeneratedText, value: unknown): void {
  if (typeof value === 'string') generated.add(value)
}
