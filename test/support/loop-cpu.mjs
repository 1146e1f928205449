// Loaded into a Farebox process before its own code: tells how much processor time the main thread took at most between two turns of
// its event loop. Unlike the time on the clock that does not depend on what else the machine does. Written to the file that
// LOOP_CPU_FILE names, and begun anew when that file is removed.

import { existsSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const file = process.env.LOOP_CPU_FILE
if (isMainThread && file !== undefined) {
  let most = 0
  let written = -1
  let before = process.threadCpuUsage()
  setInterval(() => {
    const now = process.threadCpuUsage()
    const spentMs = (now.user + now.system - before.user - before.system) / 1000
    before = now
    if (written >= 0 && !existsSync(file)) {
      most = 0
      written = -1
      return
    }
    most = Math.max(most, spentMs)
    if (most === written) return
    written = most
    writeFileSync(file, String(most))
    before = process.threadCpuUsage()
  }, 1).unref()
}
