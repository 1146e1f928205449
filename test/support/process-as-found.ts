// Files of tests share processes, one after the other. What a file puts in the place of a part of the platform and leaves there, the
// next file has too, and whether that one passes then depends on which went before it. So the file that leaves something fails.

import { afterAll, expect } from 'vitest'
import { makePasswordsCheap } from './cheap-passwords.ts'
import { differences, processState } from './process-state.ts'

const before = processState()

afterAll(() => {
  makePasswordsCheap(false)
  expect(differences(before, processState()), 'what this file left behind in its process').toEqual([])
})
