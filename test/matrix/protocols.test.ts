import { expect, it } from 'vitest'
import { DOCUMENT, writeDocument } from './document.ts'
import { checkFile } from './golden.ts'

it('docs/protocols.md says what becomes of every feature in every pair', async () => {
  const text = await writeDocument()
  expect(text).not.toContain('LOST')
  checkFile(DOCUMENT, text)
})
