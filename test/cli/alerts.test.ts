// farebox alerts: what was reached, in the words of what it is about.

import { expect, it } from 'vitest'
import type { AlertView } from '#contract/alerts.ts'
import { fakeGateway } from './fake-gateway.ts'
import { run } from './fake-host.ts'

const KEY: AlertView = {
  id: 'a1',
  at: '2026-11-27T10:00:00.000Z',
  scope: 'key',
  name: 'ci',
  threshold: 80,
  used_credits: 8.5,
  total_credits: 10,
  cycle_started_at: '2026-11-01T00:00:00.000Z',
  next_reset_at: '2026-12-01T00:00:00.000Z',
}
const BILL: AlertView = {
  ...KEY,
  scope: 'bill',
  name: 'openai',
  threshold: 1,
  used_credits: 0.125,
  total_credits: 3.5,
  cycle_started_at: '2026-11-26T00:00:00.000Z',
  next_reset_at: null,
}

it('says the part of a budget, and of a bill the money or the tokens that nothing explains', async () => {
  const body = [KEY, BILL, { ...BILL, used_credits: 0 }]
  const { stdout } = await run(['alerts'], { gateway: fakeGateway(() => ({ status: 200, body })) })
  expect(stdout).toBe(
    [
      'TIME                  SCOPE  NAME    REACHED                               USED   OF  RESETS',
      '2026-11-27 10:00 UTC  key    ci      80 %                                   8.5   10  2026-12-01 00:00 UTC',
      '2026-11-27 10:00 UTC  bill   openai  0.125 USD unexplained on 2026-11-26  0.125  3.5  -',
      '2026-11-27 10:00 UTC  bill   openai  tokens unexplained on 2026-11-26         0  3.5  -',
      '',
    ].join('\n'),
  )
})
