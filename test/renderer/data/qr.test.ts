import { encode } from 'uqr'
import { expect, it } from 'vitest'
import { qrPath } from '#renderer/data/qr.ts'

it('draws exactly the dark modules of the code, each once', () => {
  const content = `https://192.168.1.5:3273/#invite=${'aZ9_-'.repeat(8)}abc`
  const { size, path } = qrPath(content)
  const { data } = encode(content, { ecc: 'M', border: 2 })
  const drawn = Array.from({ length: size }, () => Array.from({ length: size }, () => 0))
  for (const [, x, y, width, back] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)) {
    expect(back).toBe(width)
    for (let step = 0; step < Number(width); step++) {
      const row = drawn[Number(y)]
      if (row !== undefined) row[Number(x) + step] = (row[Number(x) + step] ?? 0) + 1
    }
  }
  expect(drawn).toEqual(data.map((row) => row.map(Number)))
  expect(path.replaceAll(/M\d+ \d+h\d+v1h-\d+z/g, '')).toBe('')
})
