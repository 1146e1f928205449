// A journal that an earlier version left behind has usage rows without the columns that came since.

import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import { microCredits } from '#core/money.ts'
import { ledgerAppender } from '#ledger/entries.ts'
import { USAGE_COLUMNS, usageRow } from '#ledger/rows.ts'
import { openForWriting } from '#store/database.ts'
import { temporaryFolder } from '../support/process.ts'
import { settlement } from './books.ts'

const ATTRIBUTION = { tool: 'zed', project: undefined, tags: ['ci', 'night'], session: 's-1' }

it('a usage row of an earlier version is taken, with nothing in the columns that it does not know', async () => {
  const db = openForWriting(await temporaryFolder())
  try {
    db.prepare(
      `INSERT INTO package (id, name, type, credits_micro, time_zone, models, created_at_ms)
       VALUES ('p', 'p', 'topup', 0, 'UTC', '"all"', 1)`,
    ).run()
    db.prepare(
      `INSERT INTO key (id, name, hash, hint, package_id, status, created_at_ms, value_since_ms)
       VALUES ('k', 'k', ?, 'abcd', 'p', 'active', 1, 1)`,
    ).run(hash('sha256', 'k', 'base64url'))
    const hold = { keyId: 'k', modelId: 'm', priceVersion: 1, holdMicro: microCredits(9), isOverrun: false }
    const row = usageRow({ ...settlement(5), ...hold, id: 'one', details: { tier: 'flex' } })
    const append = ledgerAppender(db)
    expect(
      append({ entries: [], usage: [row.slice(0, USAGE_COLUMNS.split(', ').indexOf('details'))], balances: [] }),
    ).toEqual(['one'])
    expect(append({ entries: [], usage: [['two', ...row.slice(1)]], balances: [] })).toEqual(['two'])
    const named = usageRow({ ...settlement(5), ...hold, id: 'two-a', attribution: ATTRIBUTION })
    const again = ['two-b', ...named.slice(1)]
    expect(append({ entries: [], usage: [named, again], balances: [] })).toEqual(['two-a', 'two-b'])
    const columns = 'id, charge_micro, details, attribution_id, session_id'
    const kept = db.prepare(`SELECT ${columns} FROM usage_record ORDER BY id`).all()
    const nobody = { attribution_id: null, session_id: null }
    expect(kept).toEqual([
      { id: 'one', charge_micro: 5, details: null, ...nobody },
      { id: 'two', charge_micro: 5, details: '{"tier":"flex"}', ...nobody },
      { id: 'two-a', charge_micro: 5, details: null, attribution_id: 1, session_id: 1 },
      { id: 'two-b', charge_micro: 5, details: null, attribution_id: 1, session_id: 1 },
    ])
    expect(db.prepare('SELECT tool, project, tags FROM attribution').raw().all()).toEqual([['zed', '', ',ci,night,']])
  } finally {
    db.close()
  }
})
