// The roll-ups that gateways which share their books tell each other, on the writer thread.

import type { Db } from '#store/database.ts'
import { ElsewhereRollups, type ElsewhereHours } from '#store/elsewhere-rollups.ts'
import type { UsageRollups } from '#store/usage-rollups.ts'
import {
  beginTelling,
  endTelling,
  noteTold,
  untoldHours,
  type Told,
  type ToldHours,
  type UntoldHours,
} from '#store/usage-telling.ts'

export type SharedUsageOperations = {
  /** The others that share these books are told of this gateway's hours from now on; nobody any more where it is undefined. */
  tellUsage: { input: Told | undefined; output: void }
  /** So many hours at the most that the others do not have as they are now. */
  untoldUsage: { input: number; output: UntoldHours }
  usageTold: { input: ToldHours; output: void }
  /** Up to which of its changes the hours of each other gateway are here. */
  elsewhere: { input: undefined; output: Record<string, number> }
  takeElsewhere: { input: ElsewhereHours; output: void }
}

type SharedUsageInput = {
  readonly db: Db
  /** Of this gateway. */
  readonly rollups: UsageRollups
  readonly timeZone: string
  /** Runs a transaction. */
  readonly write: (transaction: () => void) => void
}

export function sharedUsage({ db, rollups, timeZone, write }: SharedUsageInput) {
  const others = new ElsewhereRollups(db, timeZone)
  const refill = db.transaction(() => others.refill())
  const tell = db.transaction((to: Told | undefined) => {
    if (to === undefined) endTelling(db)
    else beginTelling(db, to)
  })
  const told = db.transaction((what: ToldHours) => noteTold(db, what))
  return {
    /** By the days of another time zone than before. */
    refill: () => refill.immediate(),
    operations: {
      tellUsage: (to: Told | undefined) => {
        write(() => tell.immediate(to))
        rollups.isTold = to !== undefined
      },
      untoldUsage: (most: number) => untoldHours(db, most),
      usageTold: (what: ToldHours) => write(() => told.immediate(what)),
      elsewhere: () => others.positions(),
      takeElsewhere: (taken: ElsewhereHours) => write(() => others.take(taken)),
    },
  }
}
