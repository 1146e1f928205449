// The card with the limits that somebody is held to, on the overview of members and on the page of whoever signed in with a key.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RequestBody } from '#contract/admin-api.ts'
import { postChat } from '../support/chat.ts'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'
import { PASSWORD } from '../support/password.ts'

type Limits = NonNullable<RequestBody<'editMember'>['limits']>

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard.close())

const admin = () => dashboard.farebox.admin

async function add(name: string, limits: Limits) {
  await admin().call('addMember', { body: { name, password: PASSWORD, packages: ['starter'], limits } })
  const body = { name: `key of ${name}`, package: 'starter', owner: name }
  return { member: { name, password: PASSWORD }, key: (await admin().call('createKey', { body })).key }
}

async function use(key: string) {
  const answer = await postChat({ url: dashboard.farebox.url, key }, { model: 'demo-chat' })
  expect(answer.status).toBe(200)
  await answer.text()
}

const card = (page: Page, name = 'Your limits') => page.getByRole('region', { name })
const fact = (page: Page, name: string, title?: string) =>
  card(page, title).locator('dt', { hasText: name }).locator('+ dd')

describe('on the overview of a member', () => {
  it('has each limit that is set, how much of the day is used, and when it begins anew in the zone of the machine', async () => {
    const { member, key } = await add('ada', { concurrent_requests: 4, credits_per_day: 2.5 })
    await use(key)
    const { time_zone: zone } = (await admin().call('overview', {})).gateway
    const used = (await admin().call('listMembers', {})).find(({ name }) => name === 'ada')?.credits_today ?? 0
    expect(used).toBeGreaterThan(0)
    await dashboard.visit(
      '/overview',
      async (page) => {
        await card(page).getByText('These limits apply to all your keys together').waitFor()
        expect(await fact(page, 'Used today').innerText()).toContain(String(used))
        expect(await fact(page, 'Credits per day').innerText()).toContain('2.50')
        expect(await fact(page, 'Concurrent requests').innerText()).toBe('4 (now 0)')
        expect(await card(page).getByText('per minute').count()).toBe(0)
        const named = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'short' })
          .format(0)
          .split(' ')
          .at(-1)
        expect(await fact(page, 'Next reset').innerText()).toMatch(new RegExp(`00:00:00 ${named}$`))
      },
      { member },
    )
  })

  it('is not there where nothing is limited, for a member and for the owner of the machine', async () => {
    const { member } = await add('free', {})
    for (const as of [{ member }, {}]) {
      await dashboard.visit(
        '/overview',
        async (page) => {
          await page.getByText('left of').waitFor()
          expect(await card(page).count()).toBe(0)
        },
        as,
      )
    }
  })

  it('says that nothing is left of the day, in German and in the window of the tray too', async () => {
    const { member } = await add('spent', { requests_per_minute: 3, credits_per_day: 0 })
    await dashboard.visit(
      '/overview',
      async (page) => {
        await card(page, 'Ihre Grenzen').getByText('Die Credits von heute sind verbraucht.').waitFor()
        expect(await fact(page, 'Anfragen je Minute', 'Ihre Grenzen').innerText()).toBe('3')
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(420)
      },
      { member, language: 'de', theme: 'dark', width: 420 },
    )
  })
})

describe('on the page of a key', () => {
  it('has the limits that the key shares, and nothing of what other keys use', async () => {
    const { key } = await add('eve', { requests_per_minute: 23, concurrent_requests: 4, credits_per_day: 2.5 })
    await use(key)
    await dashboard.visit(
      '/own-key',
      async (page) => {
        const title = 'Shared limits'
        await card(page, title).getByText('is not shown').waitFor()
        expect(await fact(page, 'Requests per minute', title).innerText()).toBe('23')
        expect(await fact(page, 'Concurrent requests', title).innerText()).toBe('4')
        expect(await fact(page, 'Next reset', title).innerText()).toContain('00:00:00')
        expect(await card(page, title).getByText('today').count()).toBe(0)
        expect(await card(page, title).getByRole('img').count()).toBe(0)
      },
      { key },
    )
  })

  it('is not there for a key of nobody', async () => {
    const body = { name: 'of nobody', package: 'starter' }
    const { key } = await admin().call('createKey', { body })
    await dashboard.visit(
      '/own-key',
      async (page) => {
        await page.getByRole('region', { name: 'Set up a tool' }).getByText('YOUR_KEY').first().waitFor()
        expect(await card(page, 'Shared limits').count()).toBe(0)
      },
      { key },
    )
  })
})
