import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard.close())

it('keeps its filters in the address, and shows nothing else', async () => {
  const { admin } = dashboard.farebox
  await admin.call('createKey', { body: { name: 'noted', package: 'starter' } })
  await dashboard.visit('/audit', async (page) => {
    await page.getByRole('button', { name: 'Filters', exact: true }).click()
    await page.getByLabel('What', { exact: true }).selectOption({ label: 'Created a key' })
    await page.waitForURL(/action=createKey/)
    await page.getByRole('row').filter({ hasText: 'noted' }).waitFor()
    expect(await page.getByRole('row').filter({ hasText: 'Set up the demo' }).count()).toBe(0)
    await page.reload()
    await page.getByRole('row').filter({ hasText: 'noted' }).waitFor()
    expect(await page.getByRole('row').filter({ hasText: 'Set up the demo' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Remove the filter What: Created a key' }).click()
    await page.getByRole('row').filter({ hasText: 'Set up the demo' }).waitFor()
  })
})

it('opens an entry by keyboard, with what was asked for and without the value of a key', async () => {
  const { admin } = dashboard.farebox
  await admin.call('topUpKey', { id: 'first', body: { credits: 1.5, reason: 'a present' } })
  await dashboard.visit('/audit?action=topUpKey', async (page) => {
    await page.getByRole('row').filter({ hasText: 'Topped up a key' }).focus()
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog')
    await drawer.getByText('a present').waitFor()
    expect(await drawer.innerText()).not.toContain(dashboard.key)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(page.url()).not.toContain('open=')
  })
})

it('says so where no change fits', async () => {
  await dashboard.visit('/audit?actor=nobody-of-that-name', async (page) => {
    await page.getByText('No changes match these filters').waitFor()
  })
})

it('reads on by scrolling, with only the rows in sight in the page', async () => {
  const { admin } = dashboard.farebox
  await admin.call('createKey', { body: { name: 'often', package: 'starter' } })
  for (let index = 0; index < 130; index += 1) {
    await admin.call(index % 2 === 0 ? 'suspendKey' : 'resumeKey', { id: 'often' })
  }
  await dashboard.visit('/audit', async (page) => {
    const table = page.getByRole('region', { name: 'Audit' })
    await table.getByRole('row').nth(5).waitFor()
    const bottom = table.getByRole('row').filter({ hasText: 'Set up the demo' })
    await table.hover()
    await expect
      .poll(
        async () => {
          await page.mouse.wheel(0, 5000)
          return bottom.count()
        },
        { timeout: 20_000 },
      )
      .toBe(1)
    expect(await table.getByRole('row').count()).toBeLessThan(80)
  })
})
