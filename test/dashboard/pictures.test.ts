// Pictures to share, in a real browser: what is saved and copied is an image of what the ledger has, without anything that is nobody
// else's business.

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seriousViolations, startDashboard, type Dashboard } from '../support/dashboard.ts'

const SESSION = 'a-session-of-mine'
const PROJECT = 'hush'
const PROMPT = 'whisper'

let dashboard: Dashboard
let requestId = ''
beforeAll(async () => {
  dashboard = await startDashboard()
  for (let index = 0; index < 3; index++) requestId = await chat()
})
afterAll(() => dashboard.close())

async function chat(): Promise<string> {
  const answer = await fetch(`${dashboard.farebox.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${dashboard.key}`,
      'content-type': 'application/json',
      'x-claude-code-session-id': SESSION,
      'x-farebox-project': PROJECT,
    },
    body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: PROMPT }] }),
  })
  await answer.text()
  expect(answer.status).toBe(200)
  return answer.headers.get('x-request-id') ?? ''
}

/** What the picture says, for those who do not see it. */
async function saidBy(page: Page, words: RegExp): Promise<string> {
  const picture = page.getByRole('dialog', { name: 'Share as image' }).getByRole('img', { name: words })
  const said = (await picture.getAttribute('aria-label')) ?? ''
  for (const secret of [SESSION, PROJECT, PROMPT, dashboard.key, requestId]) expect(said).not.toContain(secret)
  return said
}

/** Width and height of the image that is saved, which is not of one colour. */
async function savedSize(page: Page): Promise<readonly [number, number]> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save image' }).click()
  const file = await (await download).path()
  const image = await readFile(file)
  expect(image.subarray(1, 4).toString('latin1')).toBe('PNG')
  // An empty one of this size has less than that.
  expect(image.length).toBeGreaterThan(15_000)
  return [image.readUInt32BE(16), image.readUInt32BE(20)]
}

it('makes pictures of a receipt and of its session, to save and to copy', async () => {
  const { farebox } = dashboard
  const { receipt } = await farebox.admin.call('why', { id: requestId })
  const charge = receipt?.charge_credits ?? 0
  await dashboard.visit(`/requests?open=${requestId}`, async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Picture of this receipt' }).click()
    const said = await saidBy(page, /demo-chat/)
    expect(said).toContain(`${charge} credits`)
    expect(await seriousViolations(page, { part: '[role=dialog] canvas' })).toEqual([])
    const [width, height] = await savedSize(page)
    expect(width).toBe(1280)
    expect(height).toBeGreaterThan(400)

    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByRole('status').getByText('Copied').waitFor()
    const types = 'navigator.clipboard.read().then((items) => items.flatMap(({ types }) => [...types]))'
    expect(await page.evaluate<string[]>(types)).toEqual(['image/png'])
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Picture of its session' }).click()
    const ofSession = await saidBy(page, /One session.*Requests: 3/)
    expect(ofSession).toContain(`${Math.round(3 * charge * 1e6) / 1e6} credits`)
  })
})

it('makes a calendar of what was spent in a month', async () => {
  const { totals } = await dashboard.farebox.admin.call('usageReport', { query: { from: 'month' } })
  await dashboard.visit('/usage', async (page) => {
    await page.getByRole('button', { name: 'Image of the month' }).click()
    const said = await saidBy(page, /Requests: 3/)
    expect(totals.requests).toBe(3)
    const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' }).format(Date.now())
    expect(said).toContain(month)
    expect(said).toMatch(/\. \d{1,2}: 0\.0/)
    expect((await savedSize(page))[1]).toBeGreaterThan(1000)
    await page.getByRole('button', { name: 'Previous month' }).click()
    await saidBy(page, /Requests: 0/)
    expect(await page.getByRole('button', { name: 'Next month' }).isEnabled()).toBe(true)
  })
})
