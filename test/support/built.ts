// The build that a test runs or looks at. What was built of other sources than these is built anew first, so that nobody ever tests it.

import { join } from 'node:path'
import { bringUpToDate } from '../../build.mjs'

const ROOT = join(import.meta.dirname, '..', '..')
/** What `npm start` and the command `farebox` run. */
const PROGRAM = join(ROOT, 'dist', 'main', 'farebox.js')

const checked = new Set<string>()

/** The program as it is built from the sources of now. */
export function builtProgram(): string {
  build('main')
  return PROGRAM
}

/** Throws where a part cannot be built. Sources that change during a test are for the next run. */
export function build(part: 'main' | 'dashboard'): void {
  if (checked.has(part)) return
  const problems = bringUpToDate([part], () => undefined)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  checked.add(part)
}
