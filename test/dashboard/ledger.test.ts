// The ledger, against a real Farebox with the demo provider.

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ResponseBody } from '#contract/admin-api.ts'
import { moneyText } from '#renderer/data/money.ts'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'
import { ADA } from '../support/dashboard-panels.ts'

const CALLS = 3

let dashboard: Dashboard
let key = ''
beforeAll(async () => {
  dashboard = await startDashboard()
  const { admin } = dashboard.farebox
  await admin.call('addPackage', { body: { name: 'team', type: 'monthly', credits: 50 } })
  await admin.call('addMember', { body: { ...ADA, packages: ['team'] } })
  key = (await admin.call('createKey', { body: { name: 'spender', package: 'team' } })).key
  await admin.call('createKey', { body: { name: 'of-ada', package: 'team', owner: 'ada' } })
  for (let calls = 0; calls < CALLS; calls += 1) await chat()
  await admin.call('adjustKey', { id: 'spender', body: { credits: -0.000001, reason: 'the smallest correction' } })
})
afterAll(() => dashboard.close())

const rows = (page: Page) =>
  page
    .getByRole('region', { name: 'Ledger' })
    .or(page.getByRole('region', { name: 'Kontobuch' }))
    .locator('tbody tr[data-index]')
const entries = async (id: string): Promise<ResponseBody<'listLedger'>['entries']> =>
  (await dashboard.farebox.admin.call('listLedger', { query: { key: id, limit: '100' } })).entries

async function chat(withKey = key): Promise<void> {
  const answer = await fetch(`${dashboard.farebox.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${withKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'hello' }] }),
  })
  await answer.text()
  expect(answer.status).toBe(200)
}

/** The amounts of a column as the page shows them, in credits. */
async function amounts(page: Page, column: 'Amount' | 'Available after'): Promise<number[]> {
  const heads = await page.getByRole('columnheader').allInnerTexts()
  const cells = await rows(page)
    .locator(`td:nth-child(${heads.indexOf(column) + 1})`)
    .allInnerTexts()
  return cells.map((text) => Number(text.replace('−', '-').replace(/[+,]/g, '')))
}

describe('the entries', () => {
  it('are those of the API, agree with the balance to the last digit, and add up row by row', async () => {
    const listed = await entries('spender')
    expect(listed.length).toBe(2 + 2 * CALLS)
    await dashboard.visit('/ledger?key=spender', async (page) => {
      await expect.poll(() => rows(page).count()).toBe(listed.length)
      const shown = await amounts(page, 'Amount')
      const available = await amounts(page, 'Available after')
      expect(shown).toEqual(listed.map((entry) => entry.amount_credits))
      expect(available).toEqual(listed.map((entry) => entry.available_credits))
      const balance = await dashboard.farebox.balance(key)
      expect(available[0]).toBe(balance['remaining_credits'])
      const micro = (credits: number | undefined) => Math.round((credits ?? 0) * 1_000_000)
      available.forEach((after, row) => expect(micro(after)).toBe(micro(available[row + 1]) + micro(shown[row])))
    })
  })

  it('lead to the receipts of their requests', async () => {
    const settled = (await entries('spender')).find((entry) => entry.kind === 'settle')
    await dashboard.visit('/ledger?key=spender&kind=settle', async (page) => {
      await rows(page).first().getByRole('link', { name: 'demo-chat' }).click()
      await page.waitForURL(`**/requests?open=${settled?.request_id}`)
    })
  })

  it('are narrowed down by key and kind, which the address keeps', async () => {
    await dashboard.visit('/ledger', async (page) => {
      await page.getByRole('button', { name: 'Filters', exact: true }).click()
      await page.getByLabel('Key', { exact: true }).selectOption('spender')
      await page.getByLabel('Entry', { exact: true }).selectOption({ label: 'Adjustment' })
      await expect.poll(() => rows(page).count()).toBe(1)
      await rows(page).first().getByText('the smallest correction').last().waitFor()
      await page.getByText('A top-up, a correction, or a change of the package').first().waitFor()
      expect(new URL(page.url()).search).toBe('?key=spender&kind=adjustment')
      await page.reload()
      await expect.poll(() => rows(page).count()).toBe(1)
      await page.getByRole('button', { name: '2 filters' }).click()
      await page.getByLabel('Entry', { exact: true }).selectOption({ label: 'Lapse' })
      await page.getByText('No entry matches these filters.').waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await expect.poll(() => rows(page).count()).toBeGreaterThan(2 * CALLS)
    })
  })

  it('are those of a time, which the address keeps to the second', async () => {
    const since = (await entries('spender')).at(-1)?.created_at ?? ''
    const before = new Date(Date.parse(since) - 60_000).toISOString()
    await dashboard.visit(`/ledger?key=spender&since=${before}&until=${since}`, async (page) => {
      await page.getByText('No entry matches these filters.').waitFor()
      await page.getByRole('button', { name: '3 filters' }).click()
      await page.getByLabel('Until', { exact: true }).fill('')
      await expect.poll(() => rows(page).count()).toBe((await entries('spender')).length)
      expect(new URL(page.url()).searchParams.get('since')).toBe(before)
      await page.getByLabel('Time', { exact: true }).selectOption({ label: 'Last hour' })
      await page.waitForURL('**/ledger?key=spender&since=1h')
      await expect.poll(() => rows(page).count()).toBe((await entries('spender')).length)
      await page.getByRole('button', { name: 'Explain entries' }).click()
      const words = page.getByRole('dialog', { name: 'Explain entries' })
      await words.getByText('Added to or subtracted from').waitFor()
    })
  })

  it('stay where they are while one reads, and say that there are newer ones', async () => {
    await dashboard.visit('/ledger?key=spender', async (page) => {
      const count = (await entries('spender')).length
      await expect.poll(() => rows(page).count()).toBe(count)
      await chat()
      await page.getByRole('button', { name: 'Show new entries' }).waitFor()
      expect(await rows(page).count()).toBe(count)
      await page.getByRole('button', { name: 'Show new entries' }).click()
      await expect.poll(() => rows(page).count()).toBe(count + 2)
      await page.getByRole('button', { name: 'Show new entries' }).waitFor({ state: 'detached' })
    })
  })

  it('are read page by page while one scrolls, with few of them in the page at once', async () => {
    const { admin } = dashboard.farebox
    await admin.call('createKey', { body: { name: 'long', package: 'team' } })
    for (let count = 0; count < 250; count += 1) {
      await admin.call('adjustKey', { id: 'long', body: { credits: 0.01, reason: `number ${count}` } })
    }
    await dashboard.visit('/ledger?key=long', async (page) => {
      await page.getByText('number 249', { exact: true }).last().waitFor()
      const region = page.getByRole('region', { name: 'Ledger' })
      await expect
        .poll(
          async () => {
            await region.evaluate((element) => element.scrollBy(0, 4000))
            return page.getByText('251 entries in all.').count()
          },
          { timeout: 30_000 },
        )
        .toBe(1)
      await region.evaluate((element) => element.scrollTo(0, element.scrollHeight))
      await page.getByText('number 0', { exact: true }).last().waitFor()
      expect(await rows(page).count()).toBeLessThan(80)
    })
  })
})

describe('a key without a limit', () => {
  it.each([
    ['en', 'Available after', 'unlimited'],
    ['de', 'Danach verfügbar', 'unbegrenzt'],
  ] as const)('is said to be so where others have what was left (%s)', async (language, column, word) => {
    const { admin } = dashboard.farebox
    await admin.call('addPackage', { body: { name: `open-${language}`, type: 'unlimited' } })
    const body = { name: `free-${language}`, package: `open-${language}` }
    await chat((await admin.call('createKey', { body })).key)
    await dashboard.visit(
      `/ledger?key=free-${language}`,
      async (page) => {
        await expect.poll(() => rows(page).count()).toBe(2)
        const heads = await page.getByRole('columnheader').allInnerTexts()
        const cells = rows(page).locator(`td:nth-child(${heads.indexOf(column) + 1})`)
        expect(await cells.allInnerTexts()).toEqual([word, word])
      },
      { language },
    )
  })
})

describe('verifying', () => {
  it('says that the books add up, and what was read', async () => {
    await dashboard.visit('/ledger', async (page) => {
      await page.getByRole('button', { name: 'Verify the books' }).click()
      await page.getByText('The ledger is correct.').waitFor()
      await page.getByRole('button', { name: 'Hide result' }).click()
      await page.getByText('The ledger is correct.').waitFor({ state: 'detached' })
    })
  })

  it('names each problem where they do not', async () => {
    await dashboard.visit('/ledger', async (page) => {
      const problems = ['the balance of key x is not the sum of its entries', 'entry 7 is missing']
      const report = { ok: false, keys: 2, entries: 9, open_holds: 0, usage_records: 3, problems }
      await page.route('**/api/ledger/verify', (route) => route.fulfill({ json: report }))
      await page.getByRole('button', { name: 'Verify the books' }).click()
      await page.getByText('The ledger has 2 problems.').waitFor()
      for (const problem of problems) await page.getByText(problem).waitFor()
    })
  })
})

describe('a member', () => {
  it('reads the entries of their own keys, and verifies nothing', async () => {
    await dashboard.visit(
      '/ledger',
      async (page) => {
        await expect.poll(() => rows(page).count()).toBe(1)
        await rows(page).first().getByText('of-ada', { exact: true }).waitFor()
        expect(await page.getByRole('button', { name: 'Verify the books' }).count()).toBe(0)
      },
      { member: ADA },
    )
  })

  it('finds nothing behind the name of a key that is not theirs', async () => {
    await dashboard.visit(
      '/ledger?key=spender',
      async (page) => {
        await page.getByRole('heading', { name: 'Ledger', level: 1 }).waitFor()
        await expect.poll(() => page.getByText(/could not be loaded|No entry matches/).count()).toBe(1)
      },
      { member: ADA },
    )
  })
})

describe('for everybody', () => {
  it('it fits into the tray window', async () => {
    await dashboard.visit(
      '/ledger?key=spender',
      async (page) => {
        await rows(page).first().waitFor()
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(420)
      },
      { width: 420, language: 'de' },
    )
  })
})

describe('an export', () => {
  it('has every entry that the filters leave, to the last digit, and says what they come to', async () => {
    await dashboard.visit('/ledger?key=spender', async (page) => {
      await page.getByRole('button', { name: 'CSV' }).click()
      const dialog = page.getByRole('dialog', { name: 'Export entries' })
      const saved = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Save as CSV' }).click()
      const file = await saved
      expect(file.suggestedFilename()).toBe('farebox-ledger.csv')
      const [head = '', ...lines] = (await readFile(await file.path(), 'utf8')).trim().split('\r\n')
      const all = await entries('spender')
      expect(lines.map((line) => Number(line.split(',')[0]))).toEqual(all.map(({ seq }) => seq))
      const column = head.split(',').indexOf('amount_credits')
      const micro = (credits: number) => Math.round(credits * 1e6)
      const sum = lines.reduce((whole, line) => whole + micro(Number(line.split(',')[column])), 0)
      expect(sum).toBe(all.reduce((whole, entry) => whole + micro(entry.amount_credits), 0))
      await dialog.getByTitle(`${moneyText(BigInt(sum), 'en', 'exact')} credits`, { exact: true }).waitFor()
    })
  })
})
