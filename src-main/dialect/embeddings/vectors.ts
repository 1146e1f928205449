// Vectors as numbers and as little-endian 32-bit floats in base64, the form of OpenAI's `encoding_format: base64`.

import type { Vector } from '#dialect/embedding.ts'

export function isVector(value: unknown): value is Vector {
  return typeof value === 'string' || isNumbers(value)
}

export function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'number')
}

export function packFloats(values: readonly number[]): string {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}

export function numbersOf(vector: Vector): readonly number[] {
  if (typeof vector !== 'string') return vector
  const bytes = Buffer.from(vector, 'base64')
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4))
}
