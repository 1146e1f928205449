// Where the program's own files lie: beside the JavaScript that was built, or beside the sources where those are run. The only place
// that knows both.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export type Script =
  | 'writer-thread'
  | 'report-thread'
  | 'tokenizer-thread'
  | 'body-thread'
  | 'page-thread'
  | 'scan-thread'
  | 'keychain-process'

/** What was built is in dist/main, all in one folder; the build refuses to make another layout. */
const IS_BUNDLED = !import.meta.url.endsWith('.ts')
const ROOT = new URL('../../', import.meta.url)

/** The folder of the clone or of the package. */
export const ROOT_DIR = fileURLToPath(ROOT)
/** Where the build puts the dashboard. */
export const DASHBOARD_DIR = fileURLToPath(new URL('dist/dashboard', ROOT))
/** The data that Farebox is delivered with; ends with a slash. */
export const RESOURCES = new URL('resources/', ROOT)

/** How a verb of the command line is typed in this installation, before its name: in a clone nothing is on the PATH. */
export const OWN_COMMAND = existsSync(new URL('src-main/hosts/launch.mjs', ROOT))
  ? 'npm run --silent farebox --'
  : 'farebox'

/** The file of a thread or of a process of its own. */
export function scriptFile(name: Script): URL {
  return new URL(IS_BUNDLED ? `./${name}.js` : `../threads/${name}.ts`, import.meta.url)
}
