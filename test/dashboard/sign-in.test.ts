import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'
import { PASSWORD } from '../support/password.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  await dashboard.farebox.admin.call('addMember', { body: { name: 'ada', password: PASSWORD } })
})
afterAll(() => dashboard.close())

it('lets a member in with name and password, and shows what is theirs', async () => {
  await dashboard.visit(
    '/settings',
    async (page) => {
      await page.getByText('Signed in as').waitFor()
      await page.getByText('ada', { exact: true }).first().waitFor()
      expect(await page.getByText('Verify the ledger').count()).toBe(0)
    },
    { member: { name: 'ada', password: PASSWORD } },
  )
})

it('lets the owner in with a link, which leaves the address before anything else happens', async () => {
  const { ticket } = await dashboard.farebox.admin.call('makeTicket', {})
  await dashboard.visit(
    '/sign-in',
    async (page) => {
      const addresses: string[] = []
      page.on('framenavigated', (frame) => addresses.push(frame.url()))
      await page.goto(`${dashboard.farebox.url}/#ticket=${ticket}`)
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
      expect(addresses.at(-1)).toBe(`${dashboard.farebox.url}/app/overview`)
      expect(String(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })'))).not.toContain(
        ticket,
      )
    },
    { isStranger: true },
  )
})

it('signs in all tabs of a browser at once, opens the page that each was asked for, and signs them out together', async () => {
  const { farebox, key } = dashboard
  const answer = await fetch(`${farebox.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await answer.text()
  const requestId = answer.headers.get('x-request-id') ?? ''
  const { ticket } = await farebox.admin.call('makeTicket', {})
  await dashboard.visit(
    '/sign-in',
    async (first) => {
      const receipt = await first.context().newPage()
      await receipt.goto(`${farebox.url}/app/requests?open=${requestId}`)
      await receipt.getByLabel('Password').waitFor()
      await first.goto(`${farebox.url}/#ticket=${ticket}`)
      await first.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
      await receipt.getByRole('dialog').getByText(requestId).first().waitFor()

      const later = await first.context().newPage()
      await later.goto(`${farebox.url}/app/keys`)
      await later.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()

      await later.getByRole('button', { name: 'View and account' }).click()
      await later.getByRole('menuitem', { name: 'Sign out' }).click()
      for (const page of [first, receipt, later]) await page.getByLabel('Password').waitFor()
      for (const page of [first, receipt, later]) {
        expect(await page.evaluate("sessionStorage.getItem('farebox-session')")).toBeNull()
      }
      await receipt.close()
      await later.close()
    },
    { isStranger: true },
  )
})

it('shows a tab anew where another one signs in as somebody else', async () => {
  await dashboard.visit('/settings', async (page) => {
    await page.getByText('Verify the ledger').first().waitFor()
    const other = await page.context().newPage()
    await other.goto(`${dashboard.farebox.url}/health`)
    await other.evaluate("sessionStorage.setItem('farebox-session', 'of-nobody')")
    await other.goto(`${dashboard.farebox.url}/app/sign-in`)
    await other.getByLabel('Name').fill('ada')
    await other.getByLabel('Password').fill(PASSWORD)
    await other.keyboard.press('Enter')
    await other.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await page.getByText('ada', { exact: true }).first().waitFor()
    expect(await page.getByText('Verify the ledger').count()).toBe(0)
    await other.close()
  })
})

it('leads the owner to the overview where the link was opened on the page for signing in', async () => {
  const { ticket } = await dashboard.farebox.admin.call('makeTicket', {})
  await dashboard.visit(
    '/sign-in',
    async (page) => {
      await page.goto(`${dashboard.farebox.url}/app/sign-in?again=1#ticket=${ticket}`)
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    },
    { isStranger: true },
  )
})

it('says of a link that was used that it is, and still takes a password', async () => {
  const { ticket } = await dashboard.farebox.admin.call('makeTicket', {})
  const visitor = await fetch(`${dashboard.farebox.url}/api/session`, {
    method: 'POST',
    headers: { origin: dashboard.farebox.url, 'content-type': 'application/json' },
    body: JSON.stringify({ ticket }),
  })
  expect(visitor.status).toBe(200)
  await dashboard.visit(
    '/sign-in',
    async (page) => {
      await page.goto(`${dashboard.farebox.url}/#ticket=${ticket}`)
      await page.getByRole('alert').getByText('This link was used or has expired.').waitFor()
      expect(page.url()).not.toContain('ticket')
      await page.getByLabel('Name').fill('ada')
      await page.getByLabel('Password').fill(PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    },
    { isStranger: true },
  )
})

it('counts down how long no further password is taken, and keeps the name that was typed', async () => {
  await dashboard.visit(
    '/sign-in',
    async (page) => {
      const error = { message: 'Too many wrong passwords. Try again in 4 s.', type: 'rate_limit_error', code: 429 }
      // As Farebox answers after many tries; to make them here would take as long as it is meant to.
      await page.route('**/api/session', (route) =>
        route.fulfill({ status: 429, headers: { 'retry-after': '4' }, json: { error } }),
      )
      const button = page.getByRole('button', { name: 'Sign in' })
      await page.getByLabel('Name').fill('eve')
      await page.getByLabel('Password').fill('a wrong password')
      await page.keyboard.press('Enter')
      await page
        .getByRole('alert')
        .getByText(/^Too many attempts. Try again in [1-4] seconds?\.$/)
        .waitFor()
      expect(await button.isDisabled()).toBe(true)
      expect(await page.getByLabel('Name').inputValue()).toBe('eve')
      expect(await page.getByLabel('Password').inputValue()).toBe('')
      await expect.poll(() => button.isDisabled(), { timeout: 15_000 }).toBe(false)
      expect(await page.getByRole('alert').count()).toBe(0)
    },
    { isStranger: true },
  )
})

it('says the same of a wrong name as of a wrong password', async () => {
  await dashboard.visit(
    '/sign-in',
    async (page) => {
      for (const name of ['ada', 'nobody of that name']) {
        await page.getByLabel('Name').fill(name)
        await page.getByLabel('Password').fill('a wrong password')
        await page.keyboard.press('Enter')
        await expect.poll(() => page.getByLabel('Password').inputValue(), { timeout: 20_000 }).toBe('')
        await page.getByRole('alert').getByText('Wrong name or password.').waitFor()
      }
    },
    { isStranger: true },
  )
})
