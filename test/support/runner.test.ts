// The error of a setup that failed is reported without those of the cleanup that had nothing to close.

import { expect, it } from 'vitest'
import { dropConsequences } from './runner.ts'

const error = (message: string, name = 'Error') => ({ name, message })
const UNSET = error("Cannot read properties of undefined (reading 'close')", 'TypeError')

it.each([
  ['a setup that failed', [error('no room'), UNSET], ['no room']],
  ['a setup whose error is of that kind itself', [UNSET, UNSET], [UNSET.message]],
  ['a cleanup that failed by itself', [UNSET], [UNSET.message]],
  ['a cleanup that failed otherwise too', [error('no room'), UNSET, error('left behind')], ['no room', 'left behind']],
])('of %s', (_what, errors, left) => {
  const result = { state: 'fail' as const, errors }
  dropConsequences({ result })
  expect(result.errors.map(({ message }) => message)).toEqual(left)
})

it('leaves a task without errors as it is', () => {
  expect(() => dropConsequences({})).not.toThrow()
})
