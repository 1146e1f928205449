import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'

const LOST = '018f0000-0000-7000-8000-00000000000f'

let dashboard: Dashboard
let postgres: Postgres

describe('the gateways of a fleet', () => {
  beforeAll(async () => {
    postgres = await startPostgres()
    dashboard = await startDashboard({ env: { FAREBOX_DATABASE_URL: postgres.url } })
    // Another one, as it is after its time.
    await postgres.run(`INSERT INTO farebox.gateway (id, place, program, epoch, shipped, applied, seen_at, free_at)
        VALUES ('${LOST}', 'far:/data', '0.1.0', 1, 0, 0, now() - interval '1 h', now() - interval '1 min');
      INSERT INTO farebox.doubt (gateway, key_id, cycle, amount)
        SELECT '${LOST}', key_id, cycle, 250000 FROM farebox.account LIMIT 1`)
  })
  afterAll(async () => {
    await dashboard.close()
    await postgres.close()
  })

  it('are in the settings, where what a lost one left in doubt is settled', async () => {
    await dashboard.visit('/settings', async (page) => {
      const row = page.getByRole('listitem').filter({ hasText: 'far:/data' })
      await row.getByText('Gone').waitFor()
      expect(await row.innerText()).toMatch(/In doubt: 0[.]25/)
      const own = page.getByRole('listitem').filter({ hasText: 'This gateway' })
      await own.getByText('0 calls in the last minute').waitFor()
      expect(await own.innerText()).toContain('Running')
      await row.getByRole('button', { name: 'Charge it' }).click()
      const dialog = page.getByRole('alertdialog')
      await dialog.getByText('It can never come back.').waitFor()
      await dialog.getByRole('button', { name: 'Charge it' }).click()
      await row.getByText('Lost').waitFor()
    })
    const [charged] = await postgres.query(
      `SELECT sum(amount) AS amount FROM farebox.charged WHERE gateway = '${LOST}'`,
    )
    expect(charged).toEqual({ amount: 250_000 })
  })
})
