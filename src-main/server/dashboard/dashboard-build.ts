// Builds the dashboard of a clone in a process of its own, where nobody did so at installation.

import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** `absent`: what builds it is not installed. */
export type BuildEnd = 'built' | 'absent' | 'failed'

/** As the script ends where the builder is not installed. */
const ABSENT = 3

/** Builds it into its folder. Never rejects. */
export function buildDashboard(folder: string): Promise<BuildEnd> {
  const script = join(folder, '..', '..', 'src-main', 'build-dashboard.mjs')
  if (!existsSync(script)) return Promise.resolve('absent')
  return new Promise((resolve) => {
    // The gateway does not wait for it: it ends with its work, or with the gateway.
    const child = fork(script, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    child.once('error', () => resolve('failed'))
    child.once('exit', (code) => resolve(code === 0 ? 'built' : code === ABSENT ? 'absent' : 'failed'))
    child.unref()
    child.channel?.unref()
  })
}
