// `node test/release/stamp.ts TAG`, before a release is packaged. Reads FAREBOX_RELEASE_*, none of which is a secret.

import { dirname } from 'node:path'
import { readRelease } from '#shell/release.ts'
import { stampRelease } from './release.ts'

const root = dirname(dirname(import.meta.dirname))
const said = stampRelease({ root, tag: process.argv[2] ?? '', env: process.env })
const hasFeed = (process.env['FAREBOX_RELEASE_FEED'] ?? '') !== ''
if (hasFeed && readRelease(`${root}/resources/release.json`) === undefined) {
  throw new Error('No package could read what was written: an address is not https, or a key is not one.')
}
process.stdout.write(`${said}\n`)
