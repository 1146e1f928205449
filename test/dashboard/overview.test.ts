import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { microOf, moneyText } from '#renderer/data/money.ts'
import { balanceOf, postChat } from '../support/chat.ts'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'
import { PASSWORD } from '../support/password.ts'

const ASK = { model: 'demo-chat', messages: [{ role: 'user', content: 'Hello there' }], max_tokens: 40 }
let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  for (let count = 0; count < 5; count += 1) await call(dashboard.key)
})
afterAll(() => dashboard.close())

describe('the numbers', () => {
  it('are those of GET /v1/balance and of the report, to the last digit', async () => {
    const balance = await balanceOf({ url: dashboard.farebox.url, key: dashboard.key })
    await dashboard.visit('/overview', async (page) => {
      const tile = (name: string) => page.locator('dl > div').filter({ hasText: new RegExp(`^${name}`) })
      await tile('Credits').getByTitle(exact(balance['remaining_credits']), { exact: true }).waitFor()
      await tile('Credits').getByTitle(exact(balance['total_credits']), { exact: true }).waitFor()
      await tile('Today').getByTitle(exact(balance['used_credits']), { exact: true }).waitFor()
      const sums = page.getByRole('table', { name: 'Totals of the chart' })
      const total = sums.getByRole('row').filter({ hasText: 'Total' })
      await total.getByTitle(exact(balance['used_credits']), { exact: true }).first().waitFor()
    })
  })

  it('keep what is chosen for the chart in the address', async () => {
    await dashboard.visit('/overview', async (page) => {
      await page.getByRole('heading', { name: 'Cost by model, 7 days' }).waitFor()
      await page.getByRole('radio', { name: 'Requests' }).click()
      await page.getByRole('radio', { name: 'Key' }).click()
      await page.getByRole('radio', { name: '24 hours' }).click()
      await page.getByRole('heading', { name: 'Requests by key, 24 hours' }).waitFor()
      await page.reload()
      await page.getByRole('heading', { name: 'Requests by key, 24 hours' }).waitFor()
      await page.getByRole('figure').getByText('first', { exact: true }).waitFor()
      await page.getByRole('table', { name: 'Totals of the chart' }).getByRole('link', { name: 'first' }).click()
      await page.waitForURL(/\/app\/requests\?key=first/)
    })
  })
})

describe('what happens', () => {
  it('is shown while one looks: a request that arrives, and the credits that it took', async () => {
    const { key } = await newKey('arriving')
    await dashboard.visit('/overview', async (page) => {
      const row = page.getByRole('table', { name: 'Latest requests' }).getByRole('row').nth(1)
      await row.getByRole('cell', { name: 'first', exact: true }).waitFor()
      const events = page.waitForResponse((response) => response.url().endsWith('/api/events'))
      await page.reload()
      await events
      await row.getByRole('cell', { name: 'first', exact: true }).waitFor()
      await call(key)
      await row.getByRole('cell', { name: 'arriving', exact: true }).waitFor({ timeout: 5000 })
      const { used_credits: used } = await balanceOf({ url: dashboard.farebox.url, key })
      await row.getByTitle(exact(used), { exact: true }).waitFor()
      await row.getByRole('link').first().click()
      await page.waitForURL(/\/app\/requests\?open=/)
    })
  })

  it('says how old the numbers are once they cannot be read any more', async () => {
    await dashboard.visit('/overview', async (page) => {
      await page.getByText('left of').waitFor()
      await page.route('**/api/overview', (route) =>
        route.fulfill({ status: 503, json: { error: { message: 'Busy.' } } }),
      )
      await call(dashboard.key)
      await page.getByText('Last updated').waitFor()
      expect(await page.getByText('left of').count()).toBe(1)
    })
  })

  it('says what is wrong where nothing can be read at all, and tries again on request', async () => {
    await dashboard.visit('/settings', async (page) => {
      await page.route('**/api/overview', (route) =>
        route.fulfill({ status: 500, json: { error: { message: 'The report thread has ended.', code: 500 } } }),
      )
      await page.goto(`${dashboard.farebox.url}/app/overview`)
      await page.getByText('The overview could not be loaded.').waitFor()
      await page.getByText('The report thread has ended.').waitFor()
      await page.unroute('**/api/overview')
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('left of').waitFor()
    })
  })

  it('leads to what needs attention', async () => {
    await newKey('ending', '3d')
    await dashboard.visit('/overview', async (page) => {
      await page.getByRole('link', { name: 'Key “ending” expires in 2 days.' }).click()
      await page.waitForURL(/\/app\/keys\?open=ending/)
    })
  })
})

describe('the page', () => {
  it('is complete in the window of the tray', async () => {
    await dashboard.visit(
      '/overview',
      async (page) => {
        await page.getByText('Running').waitFor()
        await page.getByRole('button', { name: 'Copy the address' }).waitFor()
        await page.getByText('left of').waitFor()
        await page.getByText('Today', { exact: true }).waitFor()
        expect(await page.getByRole('table', { name: 'Latest requests' }).getByRole('row').count()).toBe(6)
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(420)
        const latest = await page.getByRole('heading', { name: 'Latest requests' }).boundingBox()
        const chart = await page.getByRole('heading', { name: 'Cost by model' }).boundingBox()
        expect(latest?.y ?? 0).toBeLessThan(chart?.y ?? 0)
      },
      { width: 420 },
    )
  })

  it('offers the first run until somebody does not want it', async () => {
    await dashboard.visit('/overview', async (page) => {
      await page.getByRole('link', { name: 'Start', exact: true }).waitFor()
      await page.getByRole('button', { name: 'Not now' }).click()
      expect(await page.getByRole('link', { name: 'Start', exact: true }).count()).toBe(0)
      await page.reload()
      await page.getByText('left of').waitFor()
      expect(await page.getByRole('link', { name: 'Start', exact: true }).count()).toBe(0)
    })
  })

  it('shows a member nothing that is of others', async () => {
    await dashboard.farebox.admin.call('addMember', { body: { name: 'ada', password: PASSWORD } })
    await dashboard.visit(
      '/overview',
      async (page) => {
        const asked: string[] = []
        page.on('request', (request) => asked.push(new URL(request.url()).pathname))
        await page.reload()
        await page.getByText('No key yet.').waitFor()
        await page.getByText('No requests yet').waitFor()
        await page.getByText('No usage in this time range').waitFor()
        expect(asked.filter((path) => path === '/api/providers')).toEqual([])
      },
      { member: { name: 'ada', password: PASSWORD } },
    )
  })
})

describe('the chart', () => {
  it('says what its bars add up to where one points at them', async () => {
    await call((await newKey('pointed-at')).key)
    await dashboard.visit('/overview?group=key&metric=requests&rollup=day', async (page) => {
      await page.getByRole('table', { name: 'Totals of the chart' }).getByText('pointed-at').waitFor()
      await page.locator('.recharts-bar-rectangle').last().hover()
      const sum = page.locator('.recharts-tooltip-wrapper').getByText('Total', { exact: true }).locator('..')
      await sum.waitFor()
      expect((await sum.innerText()).replace(/\D/g, '')).toBe(await page.evaluate(SUM_OF_TIP))
      // The page has no table of its own for them.
      await page.getByRole('link', { name: 'Show as a table' }).click()
      await page.waitForURL((url) => url.pathname.endsWith('/usage') && url.search.includes('table=intervals'))
      await page.getByRole('columnheader', { name: 'pointed-at' }).waitFor()
    })
  })
})

/** What stands above the line of the tip, added up. */
const SUM_OF_TIP = `[...document.querySelectorAll('.recharts-tooltip-wrapper p')].slice(1, -1)
  .reduce((sum, line) => sum + Number(line.lastChild.textContent), 0).toString()`

async function call(key: string): Promise<void> {
  const response = await postChat({ url: dashboard.farebox.url, key }, ASK)
  expect(response.status).toBe(200)
  await response.text()
}

function newKey(name: string, expires = '90d') {
  return dashboard.farebox.admin.call('createKey', { body: { name, package: 'starter', expires } })
}

/** An amount as the page says it on hover. */
function exact(credits: unknown): string {
  const micro = typeof credits === 'number' ? microOf(credits) : undefined
  if (micro === undefined) throw new Error(`${String(credits)} is no amount`)
  return `${moneyText(micro, 'en', 'exact')} credits`
}
