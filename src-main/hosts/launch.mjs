// The way in of a clone: what was built of other sources than these is built anew, and then run. A package has no sources and starts
// with what was built of farebox.ts.

import { existsSync } from 'node:fs'
import { bringUpToDate } from '../../build.mjs'

const BUILT = new URL('../../dist/main/farebox.js', import.meta.url)

await launch(process.argv[2] === 'start' ? ['main', 'dashboard'] : ['main'])

async function launch(parts) {
  // Standard output belongs to what is run.
  const print = (line) => void process.stderr.write(line + '\n')
  const problems = bringUpToDate(parts, print)
  for (const problem of problems) print(problem)
  if (!existsSync(BUILT)) {
    print('There is no Farebox to run: `npm ci` installs what builds it.')
    process.exitCode = 1
    return
  }
  if (problems.length > 0) print('Farebox runs as it was built before.')
  await import(BUILT.href)
}
