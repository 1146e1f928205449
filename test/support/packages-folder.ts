// The folder outside the project where tests keep what they install and make once, for later runs.

import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One for each user: a user can write nothing to root's, and must not run what another user put into a shared one. */
export function packagesFolder(): string {
  const uid = process.getuid?.() ?? 0
  return process.env['FAREBOX_UPSTREAMS_DIR'] ?? join(tmpdir(), `farebox-upstreams${uid === 0 ? '' : `-${uid}`}`)
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
