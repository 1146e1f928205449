import { describe, expect, it } from 'vitest'
import { headLine, LEDGER_EXPORT, REQUEST_EXPORT, rowLine, type LedgerRow } from '#renderer/data/list-export.ts'

const ENTRY: LedgerRow = {
  seq: 7,
  created_at: '2026-11-23T10:00:00.000Z',
  key: '=cmd|calc',
  kind: 'adjustment',
  amount_credits: 0.000001,
  charge_credits: null,
  available_credits: 1_000_000,
  request_id: null,
  model: null,
  reason: 'one, "two"',
  cycle_started_at: '2026-11-01T00:00:00.000Z',
}

describe('a line of an exported list', () => {
  it('has a field for each head, under the names of the API', () => {
    expect(headLine(LEDGER_EXPORT).trim().split(',')).toEqual(LEDGER_EXPORT.columns)
    expect(headLine(REQUEST_EXPORT).trim().split(',')).toEqual(REQUEST_EXPORT.columns)
  })

  it('has exact credits, nothing for what is unknown, and no formula', () => {
    expect(rowLine(LEDGER_EXPORT, ENTRY)).toBe(
      `7,2026-11-23T10:00:00.000Z,'=cmd|calc,adjustment,0.000001,,1000000,,,"one, ""two""",2026-11-01T00:00:00.000Z\r\n`,
    )
  })
})
