// What a model generated in a content block or a delta of one. Used for estimates only, where a provider reports no usage.

import type { GeneratedText } from '#dialect/generated-text.ts'
import { writeInput } from '#dialect/tool-input.ts'
import { isRecord } from '#dialect/request-body.ts'

/** Adds what a block holds: text, thinking, a tool's name and input. */
export function addGeneratedBlock(generated: GeneratedText, block: unknown): void {
  if (!isRecord(block)) return
  add(generated, block['text'])
  add(generated, block['thinking'])
  const { name, input } = block
  if (typeof name !== 'string') return
  generated.add(name)
  generated.add(writeInput(input))
}

/** Adds what a delta holds: text, thinking, a piece of a tool's input. */
export function addGeneratedDelta(generated: GeneratedText, delta: unknown): void {
  if (!isRecord(delta)) return
  add(generated, delta['text'])
  add(generated, delta['thinking'])
  add(generated, delta['partial_json'])
}

function add(generated: GeneratedText, value: unknown): void {
  if (typeof value === 'string') generated.add(value)
}
