import { expect, it } from 'vitest'
import { GeneratedText } from '#dialect/generated-text.ts'

const MAX_LENGTH = 512 * 1024

it.each([0, 1, 63, 64, 65, 128, 1000])('keeps %i pieces in their order', (count) => {
  const pieces = Array.from({ length: count }, (_, index) => ` ${index}`)
  const generated = new GeneratedText('utf8')
  for (const piece of pieces) generated.add(piece)
  expect(generated.text()).toBe(pieces.join(''))
  expect(generated.text(), 'asked again').toBe(pieces.join(''))
  expect(generated.bytes).toBe(pieces.join('').length)
})

it('puts characters together that were cut in two, also where many pieces are', () => {
  const text = 'é€😀'.repeat(100)
  const generated = new GeneratedText('latin1')
  for (const byte of Buffer.from(text)) generated.add(String.fromCharCode(byte))
  expect(generated.text()).toBe(text)
  expect(generated.bytes).toBe(900)
})

it('keeps the beginning of a text without end, and counts all of it', () => {
  const generated = new GeneratedText('utf8')
  const piece = 'fare '.repeat(1000)
  for (let index = 0; index < 500; index += 1) generated.add(piece)
  expect(generated.bytes).toBe(500 * piece.length)
  const kept = generated.text()
  expect(kept.length).toBeGreaterThanOrEqual(MAX_LENGTH)
  expect(kept.length).toBeLessThan(MAX_LENGTH + piece.length)
  expect(kept).toBe(piece.repeat(kept.length / piece.length))
})
