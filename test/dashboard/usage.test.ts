// The page of usage, against a real Farebox: what it shows is what the ledger has, in the chart's table, its file and its links.

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { UsageReport } from '#contract/reports.ts'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'
import { PASSWORD } from '../support/password.ts'

/** Requests of each key. */
const CALLS = { first: 12, second: 5, 'of-ada': 3 } as const
/** And those of the first key in the time before. */
const EARLIER_CALLS = 4
const EARLIER_MS = 25 * 3_600_000

let dashboard: Dashboard
let aheadMs = -EARLIER_MS
const values = new Map<string, string>()
beforeAll(async () => {
  dashboard = await startDashboard({
    clock: { nowMs: () => Date.now() + aheadMs, monotonicMs: () => performance.now() },
  })
  const { admin } = dashboard.farebox
  const call: typeof admin.call = (action, input) => admin.call(action, input)
  await call('addMember', { body: { name: 'ada', password: PASSWORD, packages: ['starter'] } })
  values.set('first', dashboard.key)
  values.set('second', (await call('createKey', { body: { name: 'second', package: 'starter' } })).key)
  values.set('of-ada', (await call('createKey', { body: { name: 'of-ada', package: 'starter', owner: 'ada' } })).key)
  for (let index = 0; index < EARLIER_CALLS; index += 1) await chat('first')
  aheadMs = 0
  for (const [name, count] of Object.entries(CALLS)) {
    for (let index = 0; index < count; index += 1) await chat(name)
  }
})
afterAll(() => dashboard.close())

async function chat(name: string): Promise<void> {
  const answer = await fetch(`${dashboard.farebox.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${values.get(name) ?? ''}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'hello '.repeat(name.length) }] }),
  })
  await answer.text()
  expect(answer.status).toBe(200)
}

const table = (page: Page) => page.getByRole('table', { name: 'Usage table' })
const rowOf = (page: Page, name: string) => table(page).getByRole('row').filter({ hasText: name })
const cellsOf = (page: Page, name: string) => rowOf(page, name).locator('td').allInnerTexts()

/** What a key has used, as the key itself is told, in micro-credits. */
async function usedBy(name: string): Promise<bigint> {
  const { used_credits: used } = await dashboard.farebox.balance(values.get(name) ?? '')
  return micro(String(used))
}

function micro(text: string | undefined): bigint {
  const [whole = '', fraction = ''] = (text ?? '').split('.')
  return BigInt(`${whole}${fraction.padEnd(6, '0')}`)
}

describe('the numbers', () => {
  it('of every key are what its balance says, to the last digit, and add up to the total', async () => {
    await dashboard.visit('/usage?group=key&from=24h', async (page) => {
      await rowOf(page, 'first').waitFor()
      let [sum, sumBefore] = [0n, 0n]
      for (const name of Object.keys(CALLS)) {
        const [cost, before] = (await cellsOf(page, name)).slice(0, 2).map(micro)
        expect((cost ?? 0n) + (before ?? 0n)).toBe(await usedBy(name))
        sum += cost ?? 0n
        sumBefore += before ?? 0n
      }
      expect(sumBefore).toBeGreaterThan(0n)
      const total = await cellsOf(page, 'Total')
      expect(total.slice(0, 2).map(micro)).toEqual([sum, sumBefore])
      const requests = await Promise.all(Object.keys(CALLS).map(async (name) => (await cellsOf(page, name))[4]))
      expect(requests.map(Number)).toEqual(Object.values(CALLS))
    })
  })

  it('are the same by time as by group', async () => {
    await dashboard.visit('/usage?group=key&from=24h', async (page) => {
      await rowOf(page, 'first').waitFor()
      const [cost, before] = (await cellsOf(page, 'Total')).slice(0, 2).map(micro)
      const ofFirst = micro((await cellsOf(page, 'first'))[0])
      await page.getByRole('radio', { name: 'By time' }).click()
      await page.waitForURL(/table=intervals/)
      // The time before is asked for by itself here, and must be the one that the report compares with.
      await expect.poll(async () => micro((await cellsOf(page, 'Total'))[1])).toBe(before)
      expect(micro((await cellsOf(page, 'Total'))[0])).toBe(cost)
      expect(micro((await cellsOf(page, 'Total'))[3])).toBe(ofFirst)
      expect(await table(page).getByRole('row').count()).toBe(24 + 2)
    })
  })
})

describe('the address', () => {
  it('keeps what was chosen', async () => {
    await dashboard.visit('/usage', async (page) => {
      await rowOf(page, 'demo-chat').waitFor()
      await page.getByRole('radio', { name: 'Tokens' }).click()
      await page.getByLabel('Group by').selectOption('owner')
      await page.getByRole('button', { name: 'Filters', exact: true }).click()
      await page.getByLabel('Key', { exact: true }).selectOption('of-ada')
      await page.getByLabel('Tool', { exact: true }).fill('nobodys')
      await page.getByLabel('Tool', { exact: true }).press('Enter')
      await page.getByText('No requests in this time range').waitFor()
      await page.getByRole('button', { name: 'Remove the filter Tool: nobodys' }).click()
      await page.waitForURL((url) =>
        ['metric=tokens', 'group=owner', 'key=of-ada'].every((part) => url.search.includes(part)),
      )
      await rowOf(page, 'ada').waitFor()
      await page.reload()
      await rowOf(page, 'ada').waitFor()
      expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('of-ada')
      await page.goto(`${page.url()}&tool=nobodys`)
      await page.getByText('No requests in this time range').waitFor()
      // All of them, the words that were typed too.
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await rowOf(page, 'No owner').waitFor()
    })
  })

  it('holds the order of the table, which goes by any column', async () => {
    await dashboard.visit('/usage?group=key', async (page) => {
      await rowOf(page, 'first').waitFor()
      const names = () => table(page).locator('tbody th').allInnerTexts()
      await table(page).getByRole('button', { name: 'Requests' }).click()
      await expect.poll(names).toEqual(['first', 'second', 'of-ada'])
      await table(page).getByRole('button', { name: 'Requests' }).click()
      await expect.poll(names).toEqual(['of-ada', 'second', 'first'])
      expect(page.url()).toContain('sort=requests')
      const head = table(page).getByRole('columnheader', { name: 'Requests' })
      expect(await head.getAttribute('aria-sort')).toBe('ascending')
    })
  })

  it('may name a time that has none, which the page says in the words of the server', async () => {
    await dashboard.visit('/usage?from=2026-11-20&to=2026-11-10', async (page) => {
      await page.getByRole('alert').getByText("'to' must be later than 'from'.").waitFor()
    })
  })

  it('may name a time without requests', async () => {
    await dashboard.visit('/usage?from=2020-01-01&to=2020-01-05', async (page) => {
      await page.getByText('No requests in this time range').waitFor()
      expect(await page.getByLabel('Last day').inputValue()).toBe('2020-01-04')
    })
  })
})

describe('a name in the table', () => {
  it('leads to its requests, as many as were counted', async () => {
    await dashboard.visit('/usage?group=key&from=24h', async (page) => {
      await rowOf(page, 'second').getByRole('link').click()
      await page.waitForURL(/\/requests\?.*key=second/)
      const rows = page.getByRole('grid').locator('[data-id]')
      await expect.poll(() => rows.count()).toBe(CALLS.second)
      expect((await rows.allInnerTexts()).every((text) => text.includes('second'))).toBe(true)
    })
  })

  it('leads by keyboard too', async () => {
    await dashboard.visit('/usage?group=none&from=24h', async (page) => {
      await table(page).locator('tbody').getByRole('link').last().focus()
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/requests\?.*since=/)
    })
  })
})

describe('the file', () => {
  it('has exactly what the table shows', async () => {
    await dashboard.visit('/usage?group=key&from=24h', async (page) => {
      await rowOf(page, 'first').waitFor()
      const started = page.waitForEvent('download')
      await page.getByRole('button', { name: 'CSV' }).click()
      const download = await started
      expect(download.suggestedFilename()).toMatch(/^farebox-usage-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d-[\w+-]+\.csv$/)
      const lines = (await readFile(await download.path(), 'utf8')).split('\r\n')
      expect(lines[0]).toMatch(/^Key \(\d{4}-\d\d-\d\dT[\d:+-]+\/\d{4}-\d\d-\d\dT[\d:+-]+ [\w/+-]+\),/)
      expect(lines[0]?.slice(lines[0].indexOf(','))).toBe(
        ',Cost (credits),Before (credits),Change (credits),Change (%),Share (%),Requests (requests),Failed (requests),Tokens (tokens)',
      )
      const names = await table(page).locator('tbody th').allInnerTexts()
      expect(lines.slice(1, -2).map((line) => line.split(',')[0])).toEqual(names)
      for (const line of lines.slice(1, -2)) {
        const [name = '', cost, before] = line.split(',')
        expect(micro(cost) + micro(before)).toBe(await usedBy(name))
      }
      expect(lines.at(-2)).toMatch(/^Total,/)
      expect(lines.at(-1)).toBe('')
    })
  })
})

describe('the JSON file', () => {
  it('has the report with its range, its zone and every point', async () => {
    await dashboard.visit('/usage?group=key&from=24h', async (page) => {
      await rowOf(page, 'first').waitFor()
      const started = page.waitForEvent('download')
      await page.getByRole('button', { name: 'JSON' }).click()
      const download = await started
      expect(download.suggestedFilename()).toMatch(/^farebox-usage-[\d-]+-[\w+-]+\.json$/)
      const report = JSON.parse(await readFile(await download.path(), 'utf8')) as UsageReport
      expect(report).toMatchObject({ group: 'key', rollup: 'hour', time_zone: expect.any(String) })
      expect(report.series.every(({ points }) => points.length === report.intervals.length)).toBe(true)
    })
  })
})

describe('a member', () => {
  it('is shown their own requests only', async () => {
    await dashboard.visit(
      '/usage?group=key&metric=requests&from=24h',
      async (page) => {
        await expect.poll(async () => (await cellsOf(page, 'Total'))[0]).toBe(String(CALLS['of-ada']))
        expect(await table(page).locator('tbody th').allInnerTexts()).toEqual(['of-ada'])
        const offered = await page.getByLabel('Key', { exact: true }).locator('option').allInnerTexts()
        expect(offered).toEqual(['All keys', 'of-ada'])
      },
      { member: { name: 'ada', password: PASSWORD } },
    )
  })
})

describe('for everybody', () => {
  it('speaks German', async () => {
    await dashboard.visit(
      '/usage?group=owner',
      async (page) => {
        await page
          .getByRole('table', { name: 'Dieselben Zahlen' })
          .getByRole('row')
          .filter({ hasText: 'Ohne Eigentümer' })
          .waitFor()
      },
      { language: 'de' },
    )
  })
})
