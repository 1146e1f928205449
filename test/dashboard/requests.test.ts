// The page of requests, against a real Farebox: what happens appears, nothing moves while somebody reads, receipts add up.

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quickestMs, startDashboard, type Dashboard } from '../support/dashboard.ts'
import { PASSWORD } from '../support/password.ts'

/** More than a window shows and than a page of the API has. */
const EARLIER = 260

let dashboard: Dashboard
let others = ''
let theirs = ''
beforeAll(async () => {
  dashboard = await startDashboard()
  const { admin } = dashboard.farebox
  const call: typeof admin.call = (action, input) => admin.call(action, input)
  // Nothing listens there, so that every call of this model fails.
  await call('addProvider', {
    body: { name: 'nobody', dialect: 'chat-completions', base_url: 'http://127.0.0.1:9/v1' },
  })
  const price = { input: 1, output: 2 }
  const targets = [{ provider: 'nobody', model: 'nothing' }]
  await call('addModel', { body: { id: 'broken', context_window: 10_000, max_output_tokens: 100, price, targets } })
  await call('enableModel', { id: 'broken' }).catch(() => undefined)
  others = (await call('createKey', { body: { name: 'another', package: 'starter' } })).key
  await call('addMember', { body: { name: 'ada', password: PASSWORD, packages: ['starter'] } })
  theirs = (await call('createKey', { body: { name: 'of-ada', package: 'starter', owner: 'ada' } })).key
  for (let index = 0; index < EARLIER; index += 20) {
    await Promise.all(Array.from({ length: 20 }, () => chat(dashboard.key)))
  }
})
afterAll(() => dashboard.close())

/** Answers with the request's id, once it has ended. */
async function chat(key: string, model = 'demo-chat'): Promise<string> {
  const answer = await fetch(`${dashboard.farebox.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
  })
  await answer.text()
  return answer.headers.get('x-request-id') ?? ''
}

const grid = (page: Page) => page.getByRole('grid', { name: 'Requests' })
const scroller = (page: Page) => grid(page).locator('..')
const rows = (page: Page) => grid(page).locator('[data-id]')
const rowOf = (page: Page, id: string) => page.locator(`[data-id="${id}"]`)
const receipt = (page: Page) => page.getByRole('dialog', { name: 'Receipt' })
const isLive = (page: Page) => page.getByRole('status').getByText('Live', { exact: true }).waitFor()
const firstId = (page: Page) => rows(page).first().getAttribute('data-id')

async function showing(page: Page): Promise<void> {
  await rows(page).first().waitFor()
  await isLive(page)
}

describe('live', () => {
  it('has the buttons of the page in one line', async () => {
    await dashboard.visit('/requests', async (page) => {
      await showing(page)
      const boxes = await Promise.all(
        ['CSV', 'Pause'].map((name) => page.getByRole('button', { name, exact: true }).boundingBox()),
      )
      const [csv, pause] = boxes.map((box) => [box?.y, box?.height])
      expect(pause).toEqual(csv)
    })
  })

  it('shows a request on top within a second of its end', async () => {
    await dashboard.visit('/requests', async (page) => {
      await showing(page)
      const arrivedMs = await quickestMs(async () => {
        const id = await chat(others)
        const endedMs = performance.now()
        await rowOf(page, id).waitFor()
        const tookMs = performance.now() - endedMs
        expect(await firstId(page)).toBe(id)
        expect(await rowOf(page, id).innerText()).toContain('another')
        return tookMs
      })
      expect(arrivedMs).toBeLessThan(1000)
    })
  })

  it('counts what waits while it is paused, and shows all of it afterwards', async () => {
    await dashboard.visit('/requests', async (page) => {
      await showing(page)
      const before = await firstId(page)
      await page.getByRole('button', { name: 'Pause' }).click()
      const ids = [await chat(others), await chat(others), await chat(others)]
      await page.getByRole('button', { name: '3 new requests' }).waitFor()
      expect(await firstId(page)).toBe(before)
      await page.getByRole('button', { name: 'Go on' }).click()
      for (const id of ids) await rowOf(page, id).waitFor()
      expect(await firstId(page)).toBe(ids[2])
    })
  })

  it('moves nothing while somebody reads further down', async () => {
    await dashboard.visit('/requests', async (page) => {
      await showing(page)
      await scroller(page).evaluate((element) => element.scrollTo({ top: 2000 }))
      const placesOf = () =>
        rows(page).evaluateAll((all) =>
          all.map((row) => [row.getAttribute('data-id'), row.getBoundingClientRect().top]),
        )
      await expect.poll(() => scroller(page).evaluate((element) => element.scrollTop)).toBeGreaterThan(1000)
      await expect.poll(async () => (await placesOf()).length).toBeGreaterThan(20)
      const before = await placesOf()
      const id = await chat(others)
      await page.getByRole('button', { name: '1 new request' }).waitFor()
      expect(await placesOf()).toEqual(before)
      await page.getByRole('button', { name: '1 new request' }).click()
      await rowOf(page, id).waitFor()
      expect(await scroller(page).evaluate((element) => element.scrollTop)).toBe(0)
    })
  })

  it('says when no events come, and has what was missed once they do', async () => {
    await dashboard.visit('/requests', async (page) => {
      await showing(page)
      await page.route('**/api/events', (route) => route.abort())
      await page.reload()
      await page.getByRole('status').getByText('Connection lost, trying again').waitFor()
      await rows(page).first().waitFor()
      const id = await chat(others)
      expect(await rowOf(page, id).count()).toBe(0)
      await page.unroute('**/api/events')
      await rowOf(page, id).waitFor()
      await isLive(page)
    })
  })
})

describe('a long list', () => {
  it('reads on by scrolling, has every request once, and only the rows in sight in the page', async () => {
    await dashboard.visit('/requests?key=first', async (page) => {
      await showing(page)
      const { usage } = await dashboard.farebox.admin.call('usage', { query: { key: 'first', limit: '1000' } })
      const shown = () => rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-id') ?? ''))
      let most = 0
      await expect
        .poll(
          async () => {
            const ids = await shown()
            expect(new Set(ids).size).toBe(ids.length)
            most = Math.max(most, ids.length)
            await scroller(page).evaluate((element) => element.scrollBy({ top: 500 }))
            return grid(page).getAttribute('aria-rowcount')
          },
          { timeout: 30_000, interval: 30 },
        )
        .toBe(String(usage.length + 1))
      expect(most).toBeLessThan(60)
      await page.getByText('These are all.').waitFor()
      await scroller(page).evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
      await rowOf(page, usage.at(-1)?.id ?? '').waitFor()
      expect((await shown()).slice(-10)).toEqual(usage.slice(-10).map((row) => row.id))
    })
  })
})

describe('the keyboard', () => {
  it('moves between rows, opens a receipt, goes from one to the next, and comes back to its row', async () => {
    await dashboard.visit('/requests?key=first', async (page) => {
      await showing(page)
      const ids = await rows(page).evaluateAll((all) => all.slice(0, 4).map((row) => row.getAttribute('data-id') ?? ''))
      await rows(page).first().focus()
      await page.keyboard.press('ArrowDown')
      await focusOn(page, ids[1])
      await page.keyboard.press('ArrowDown')
      await focusOn(page, ids[2])
      await page.keyboard.press('ArrowUp')
      await focusOn(page, ids[1])
      await page.keyboard.press('Enter')
      await receipt(page)
        .getByText(ids[1] ?? '')
        .waitFor()
      await page.keyboard.press('ArrowDown')
      await receipt(page)
        .getByText(ids[2] ?? '')
        .waitFor()
      await page.keyboard.press('Escape')
      await expect.poll(() => receipt(page).count()).toBe(0)
      await focusOn(page, ids[2])
    })
  })

  it('reaches the last row that was read, and the first again', async () => {
    await dashboard.visit('/requests?key=first', async (page) => {
      await showing(page)
      const first = (await firstId(page)) ?? ''
      await rows(page).first().focus()
      await page.keyboard.press('End')
      await expect.poll(() => page.evaluate('document.activeElement.matches("[data-id]")')).toBe(true)
      await expect.poll(() => scroller(page).evaluate((element) => element.scrollTop)).toBeGreaterThan(1000)
      await page.keyboard.press('Home')
      await focusOn(page, first)
    })
  })

  async function focusOn(page: Page, id: string | undefined): Promise<void> {
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("data-id")')).toBe(id)
  }
})

describe('filters', () => {
  it('are in the address, and hold for what arrives as well', async () => {
    await dashboard.visit('/requests', async (page) => {
      await showing(page)
      await page.getByRole('button', { name: 'Filters', exact: true }).click()
      await page.getByLabel('Key', { exact: true }).selectOption('another')
      await page.waitForURL(/key=another/)
      await page.getByLabel('Time', { exact: true }).selectOption('24h')
      await page.getByRole('button', { name: 'Remove the filter Time: Last 24 hours' }).click()
      await expect.poll(() => page.url()).not.toContain('since=')
      await expect
        .poll(async () => (await rows(page).allInnerTexts()).every((text) => text.includes('another')))
        .toBe(true)
      const foreign = await chat(dashboard.key)
      const fitting = await chat(others)
      await rowOf(page, fitting).waitFor()
      expect(await rowOf(page, foreign).count()).toBe(0)
      await page.reload()
      await rowOf(page, fitting).waitFor()
      expect(await rowOf(page, foreign).count()).toBe(0)
      await page.getByRole('button', { name: 'Remove the filter Key: another' }).click()
      await rowOf(page, foreign).waitFor()
      expect(page.url()).not.toContain('key=')
    })
  })

  it('find failed requests, also those that fail while one looks', async () => {
    await dashboard.visit('/requests?status=failed', async (page) => {
      await page.getByText('No request fits the filters').waitFor()
      await isLive(page)
      const id = await chat(dashboard.key, 'broken')
      await rowOf(page, id).waitFor()
      expect(await rowOf(page, id).innerText()).toContain('Failed')
      await rowOf(page, id).click()
      await receipt(page).getByText('no connection').first().waitFor()
      await receipt(page).getByText('This request cost nothing.').waitFor()
    })
  })

  it('of owner and package are asked of the server for what arrives', async () => {
    await dashboard.visit('/requests?owner=ada', async (page) => {
      await page.getByText('No request fits the filters').waitFor()
      await isLive(page)
      const foreign = await chat(others)
      const fitting = await chat(theirs)
      await rowOf(page, fitting).waitFor()
      expect(await rowOf(page, foreign).count()).toBe(0)
    })
  })

  it('say what is wrong with an amount, keep it, and are not applied', async () => {
    await dashboard.visit('/requests', async (page) => {
      await showing(page)
      await page.getByRole('button', { name: 'Filters', exact: true }).click()
      const field = page.getByLabel('At least … credits', { exact: true })
      await field.fill('1.1234567')
      await field.press('Enter')
      await page.getByText('A number with at most six decimals').waitFor()
      expect(await field.inputValue()).toBe('1.1234567')
      expect(page.url()).not.toContain('min=')
      await field.fill('5000')
      await field.press('Enter')
      await page.getByText('No request fits the filters').waitFor()
      expect(page.url()).toContain('min=')
    })
  })

  it('show what the server refuses', async () => {
    await dashboard.visit('/requests?since=nonsense', async (page) => {
      await page.getByRole('alert').getByText("'since' must be").waitFor()
    })
  })
})

describe('a receipt', () => {
  it('has lines that add up to its charge, and says the charge of the API', async () => {
    const id = await chat(others)
    const view = await dashboard.farebox.admin.call('receipt', { id })
    await dashboard.visit('/requests', async (page) => {
      await rowOf(page, id).click()
      const table = receipt(page).getByRole('table', { name: 'Charge' })
      const amounts = (await table.locator('td:last-child').allInnerTexts()).map((text) =>
        BigInt(text.replace('.', '')),
      )
      const charged = amounts.pop()
      expect(amounts.length).toBeGreaterThan(1)
      expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(charged)
      const shown = await table.locator('tfoot td').innerText()
      expect(Number(shown)).toBe(view.charge_credits)
      await receipt(page).getByText('Price version 1').waitFor()
      await receipt(page).getByText('Reported').first().waitFor()
    })
  })

  it('is opened by a link that names nothing else, and says so where there is none', async () => {
    const id = await chat(others)
    await dashboard.visit('/requests?status=failed', async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.goto(`${dashboard.farebox.url}/app/requests?open=${id}&status=failed`)
      await receipt(page).getByRole('button', { name: 'Copy link' }).click()
      const link = await page.evaluate('navigator.clipboard.readText()')
      expect(link).toBe(`${dashboard.farebox.url}/app/requests?open=${id}`)
      await page.goto(`${dashboard.farebox.url}/app/requests?open=01a1fc79-0000-7000-8000-000000000000`)
      await receipt(page).getByText('Nothing is known of this request').waitFor()
    })
  })
})

describe('a member', () => {
  it('sees their own requests, before and while they happen, and no receipt of another', async () => {
    const own = await chat(theirs)
    const foreign = await chat(others)
    await dashboard.visit(
      '/requests',
      async (page) => {
        await rowOf(page, own).waitFor()
        await isLive(page)
        const [unseen, seen] = [await chat(others), await chat(theirs)]
        await rowOf(page, seen).waitFor()
        for (const id of [foreign, unseen]) expect(await rowOf(page, id).count()).toBe(0)
        expect(await page.getByLabel('Owner').count()).toBe(0)
        await page.goto(`${dashboard.farebox.url}/app/requests?open=${foreign}`)
        await receipt(page).getByText('Nothing is known of this request').waitFor()
      },
      { member: { name: 'ada', password: PASSWORD } },
    )
  })
})

describe('for everybody', () => {
  it('speaks German', async () => {
    const id = await chat(others)
    await dashboard.visit(
      '/requests',
      async (page) => {
        await rowOf(page, id).click()
        await page.getByRole('dialog', { name: 'Beleg' }).getByText('Gemeldet').first().waitFor()
      },
      { language: 'de' },
    )
  })
})

it('exports what the filters leave as a file', async () => {
  await dashboard.visit('/requests?model=demo-chat', async (page) => {
    await page.getByRole('button', { name: 'CSV', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Export requests' })
    const saved = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Save as CSV' }).click()
    const lines = (await readFile(await (await saved).path(), 'utf8')).trim().split('\r\n')
    const { usage } = await dashboard.farebox.admin.call('usage', { query: { model: 'demo-chat', limit: '1000' } })
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(usage.map(({ id }) => id))
  })
})
