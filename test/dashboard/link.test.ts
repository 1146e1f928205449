// A link that somebody followed: what it proposes is shown, and only a person makes something of it.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seriousViolations, startDashboard, type Dashboard } from '../support/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => (dashboard = await startDashboard()))
afterAll(() => dashboard.close())

const FINGERPRINT = Array.from({ length: 32 }, () => 'A0').join(':')
const PROVIDER = `farebox://add-provider?name=nas&base_url=${encodeURIComponent('http://0xC0.168.1.9:8080/v1')}&dialect=messages`
const INVITE = `farebox://accept-invite?address=${encodeURIComponent('https://192.168.1.20:3274')}&fingerprint=${encodeURIComponent(FINGERPRINT)}`

const pageOf = (link: string) => `/link?to=${encodeURIComponent(link)}`
const providers = async () => (await dashboard.farebox.admin.call('listProviders', {})).map(({ name }) => name)
const isNarrow = (page: Page) => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')

describe('a link that proposes a provider', () => {
  it('shows where it leads, adds nothing by itself, and ends in the form of every provider', async () => {
    const before = await providers()
    await dashboard.visit(pageOf(PROVIDER), async (page) => {
      const card = page.getByRole('region', { name: 'Add a provider' })
      await card.getByText('http://192.168.1.9:8080/v1', { exact: true }).waitFor()
      await card.getByText('This is no public name').waitFor()
      await card.getByText('Without https').waitFor()
      expect(await seriousViolations(page)).toEqual([])
      expect(await providers()).toEqual(before)
      await card.getByRole('button', { name: 'Go on to the form' }).click()
      const form = page.getByRole('dialog')
      expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('nas')
      expect(await form.getByLabel('Base URL').inputValue()).toBe('http://192.168.1.9:8080/v1')
      expect(await providers()).toEqual(before)
      await page.keyboard.press('Escape')
      await form.waitFor({ state: 'detached' })
      await card.getByRole('link', { name: 'Leave it' }).click()
      await page.waitForURL('**/app/overview')
      expect(await providers()).toEqual(before)
    })
  })

  it('names a preset whose address it changes', async () => {
    const other = `farebox://add-provider?preset=openai&base_url=${encodeURIComponent('https://openai.example.com/v1')}`
    await dashboard.visit(pageOf(other), async (page) => {
      await page.getByText('This is not the usual address of OpenAI.').waitFor()
    })
    await dashboard.visit(pageOf('farebox://add-provider?preset=nobody'), async (page) => {
      await page.getByRole('alert').getByText('a provider that Farebox does not know').waitFor()
    })
  })
})

describe('a link that proposes an invite', () => {
  it('shows gateway and certificate, and makes the address of a code that is typed', async () => {
    const look = async (page: Page) => {
      await page.getByText('https://192.168.1.20:3274', { exact: true }).waitFor()
      expect(await isNarrow(page)).toBe(true)
      await page.getByLabel('Code der Einladung').fill('abc-123')
      const address = page.getByRole('group', { name: 'Adresse zum Öffnen' })
      expect(await address.locator('code').innerText()).toBe('https://192.168.1.20:3274/#invite=abc-123')
      expect(page.url()).not.toContain('abc-123')
    }
    await dashboard.visit(pageOf(INVITE), look, { language: 'de', width: 420 })
  })
})

describe('a link that is none', () => {
  it.each([
    ['farebox://remove-everything', 'It asks for something that links cannot propose.'],
    ['farebox://add-provider?preset=openai&secret=sk-of-mine', 'It brings a secret'],
    ['<script>alert(1)</script>', 'It does not have the form of a link to Farebox.'],
  ])('%s says so in a sentence', async (link, sentence) => {
    await dashboard.visit(pageOf(link), async (page) => {
      await page.getByText(sentence).waitFor()
      expect(await page.locator('main').innerText()).not.toContain('sk-of-mine')
    })
  })
})
