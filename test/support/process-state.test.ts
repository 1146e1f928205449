import crypto from 'node:crypto'
import { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { differences, processState } from './process-state.ts'

/** Each with what changes something and the words for it. */
const CHANGES: readonly (readonly [string, () => () => void])[] = [
  ['node:crypto.scrypt', () => replaced(crypto, 'scrypt')],
  ['globalThis.fetch', () => replaced(globalThis, 'fetch')],
  ['process.exit', () => replaced(process, 'exit')],
  ['JSON.parse', () => replaced(JSON, 'parse')],
  ['ServerResponse.prototype.writeHead', () => replaced(ServerResponse.prototype, 'writeHead')],
  [
    'the variable FAREBOX_LEFT',
    () => {
      process.env['FAREBOX_LEFT'] = 'here'
      return () => delete process.env['FAREBOX_LEFT']
    },
  ],
]

describe('the state of a process', () => {
  it.each(CHANGES)('says that %s was changed, and nothing once it is as before', (name, change) => {
    const before = processState()
    const takeBack = change()
    const changed = differences(before, processState())
    takeBack()
    expect(changed).toEqual([name])
    expect(differences(before, processState())).toEqual([])
  })
})

function replaced<Owner extends object>(owner: Owner, name: keyof Owner): () => void {
  const original = owner[name]
  Object.assign(owner, { [name]: () => undefined })
  return () => void Object.assign(owner, { [name]: original })
}
