// Restores a backup and dies just before its n-th change to the file system, as nothing else can: by SIGKILL. For
// `restore.test.ts`. It prints how many changes there were when it was let live.

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const [dataDir = '', file = '', dieBefore = ''] = process.argv.slice(2)
const CHANGES = ['copyFileSync', 'chmodSync', 'renameSync', 'rmSync', 'fsyncSync', 'mkdirSync']

let changes = 0
for (const name of CHANGES) {
  const real = fs[name]
  fs[name] = (...args) => {
    if (++changes === Number(dieBefore)) process.kill(process.pid, 'SIGKILL')
    return real(...args)
  }
}
syncBuiltinESMExports()

const { restoreBackup } = await import('../../src-main/store/restore.ts')
const { completeBooks } = await import('../../src-main/app/whole-books.ts')
const { verifyLedger } = await import('../../src-main/ledger/verify.ts')
const answer = restoreBackup(
  { dataDir, file, nowMs: 1_800_000_000_000, isDryRun: false },
  { check: verifyLedger, complete: completeBooks },
)
if (answer.type !== 'restored') throw new Error(answer.message)
process.stdout.write(String(changes))
