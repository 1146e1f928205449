// `farebox migrate-to`: opens a data folder on which no gateway runs, for one errand, and closes it again.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AppSurroundings } from '#app/app.ts'
import { openApp } from '#app/open.ts'
import { verifyFolder } from '#app/verify-folder.ts'
import type { MigrationOutcome } from '#cli/host.ts'
import type { Config } from '#config/config.ts'
import type { Log } from '#core/log.ts'
import { FleetUnreachable } from '#fleet/connection.ts'
import { CannotJoin, TakenBack, type FleetErrand } from '#fleet/membership.ts'
import { whyUnreachable } from '#fleet/why-unreachable.ts'
import { DATABASE_FILE } from '#store/database.ts'
import { lockDataDir } from '#store/lock.ts'

type Migration = {
  /** Names the shared database. */
  readonly config: Config
  readonly errand: FleetErrand
  readonly log: Log
  readonly surroundings?: AppSurroundings
}

const NOTHING = 'There is no database of Farebox in this data folder, so there is nothing to move.'
const OLDER = 'An older Farebox made this database. Start this one on it once, and then move it.'
const WRONG = 'The ledger does not add up, so nothing is moved. See: farebox ledger verify'
const UNNAMED = 'Name the shared database with FAREBOX_DATABASE_URL.'
const GOES_ON = 'The same command goes on from where this one ended.'

/** Throws DatabaseError where a gateway runs on the folder. */
export async function migrate({ config, errand, log, surroundings = {} }: Migration): Promise<MigrationOutcome> {
  const problem = config.databaseUrl === undefined ? UNNAMED : whyNot(config)
  if (problem !== undefined) return { type: 'refused', message: problem }
  try {
    const app = await openApp(config, log, { ...surroundings, errand })
    try {
      return { type: 'moved', ...(await app.moveBooks(errand)) }
    } finally {
      await app.close()
    }
  } catch (error) {
    // The process that took them back may have been killed before it could say so.
    if (error instanceof TakenBack) return { type: 'moved', sums: [], problems: [] }
    if (error instanceof CannotJoin) return { type: 'refused', message: error.message }
    if (error instanceof FleetUnreachable) {
      const message = `The shared database cannot be reached, or did not answer${whyUnreachable(error)}. ${GOES_ON}`
      return { type: 'refused', message }
    }
    throw error
  }
}

/** Nothing is moved that does not add up. */
function whyNot({ dataDir }: Config): string | undefined {
  if (!existsSync(join(dataDir, DATABASE_FILE))) return NOTHING
  const lock = lockDataDir(dataDir)
  try {
    const report = verifyFolder(dataDir)
    if (report === undefined) return OLDER
    return report.ok ? undefined : WRONG
  } finally {
    lock.release()
  }
}
