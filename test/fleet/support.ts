// What holds of shared books at every moment, by queries of its own.

import { expect } from 'vitest'
import { HAS_POSTGRES, type Postgres } from '../support/postgres.ts'

/** On Linux these tests fail without PostgreSQL and say how to install it; elsewhere they are skipped without it. */
export const CAN_SHARE = HAS_POSTGRES || process.platform === 'linux'

/** Balances add up, leases are what accounts say, and what is used is what gateways charged. */
export async function expectSoundFleet(postgres: Pick<Postgres, 'query'>): Promise<void> {
  const wrong = await postgres.query(`
    SELECT account.*, l.leased AS leases, c.charged FROM farebox.account
    LEFT JOIN (SELECT key_id, cycle, sum(amount) AS leased FROM farebox.lease GROUP BY 1, 2) l USING (key_id, cycle)
    LEFT JOIN (SELECT key_id, cycle, sum(amount) AS charged FROM farebox.charged GROUP BY 1, 2) c USING (key_id, cycle)
    WHERE granted <> used + account.leased + free OR account.leased <> coalesce(l.leased, 0)
      OR used + owed <> coalesce(c.charged, 0)`)
  expect(wrong).toEqual([])
}
