// A backup as the admin API makes one: where it may go, and what its answer says.

import { isAbsolute } from 'node:path'
import type { BackupCreate, BackupView } from '#contract/schemas.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { Ledger } from '#ledger/ledger.ts'
import type { BackupAnswer, BackupRequest } from '#store/backup.ts'

const REASONS = { taken: 'conflict', 'no-place': 'invalid_request', full: 'disk_full', unsound: 'conflict' } as const

/** Returns what makes backups, one at a time: each reads and writes as much as the disk can. */
export function backupMaker(
  backUp: (request: BackupRequest) => Promise<BackupAnswer>,
  ledger: Pick<Ledger, 'state' | 'flush'>,
): (body: BackupCreate) => Promise<BackupView | Refusal> {
  let isBusy = false
  return async ({ file, force }) => {
    // The gateway's working folder is not the one in which somebody typed the path.
    if (!isAbsolute(file)) return refuse('invalid_request', `'file' must be an absolute path.`, { param: 'file' })
    if (isBusy) return refuse('conflict', 'A backup is being made already. Try again when it is done.')
    isBusy = true
    try {
      // What was answered is on disk already; holds of running calls may still be on their way. Where the disk refuses them,
      // the backup is of what is there.
      if (ledger.state === 'ok') await ledger.flush().catch(() => undefined)
      const answer = await backUp({ file, isForced: force ?? false })
      if (answer.type === 'refused') return refuse(REASONS[answer.reason], answer.message, { param: 'file' })
      return viewOf(file, answer)
    } finally {
      isBusy = false
    }
  }
}

function viewOf(file: string, { bytes, contents }: Extract<BackupAnswer, { type: 'made' }>): BackupView {
  const { books, secretHolders } = contents
  return {
    file,
    bytes,
    keys: books.keys,
    entries: books.entries,
    open_holds: books.openHolds,
    usage_records: books.usageRecords,
    without_secrets: secretHolders.map(({ name }) => name),
  }
}
