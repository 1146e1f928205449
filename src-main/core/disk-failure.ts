// What an administrator is told when a change could not be written down. Nothing of such a change is kept anywhere: it can be made
// again once the disk takes it.

import { refuse, type Refusal } from '#core/refusal.ts'

/** A disk, or a quota on it, that has no room left, in the words of systems and of SQLite. */
const FULL = /^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL|SQLITE_IOERR_(WRITE|SHMSIZE))$/
/** A disk that is not written to for another reason. */
const UNWRITABLE = /^(EIO|EROFS|SQLITE_(IOERR|READONLY|CANTOPEN)(_\w+)?)$/

/** The refusal of a change that a disk did not take; undefined for every other error. */
export function diskRefusal(error: unknown): Refusal | undefined {
  const why = diskProblem(error)
  return why === undefined ? undefined : refuse('disk_full', `${why}, so nothing was changed. ${MEND}`)
}

export function isDiskFull(error: unknown): boolean {
  return FULL.test(codeOf(error) ?? '')
}

/** What is wrong with a disk, as the beginning of a sentence; undefined for an error that is not the disk's. */
export function diskProblem(error: unknown): string | undefined {
  if (isDiskFull(error)) return 'The disk is full'
  const code = codeOf(error)
  return code !== undefined && UNWRITABLE.test(code) ? `The disk cannot be written (${code})` : undefined
}

const MEND = 'Make room on it and try again.'

/** The short name that a system, or SQLite, gives to what went wrong. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
