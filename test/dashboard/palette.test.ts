// The palette, from every page: things are found by name, requests by their id, and what can be done from anywhere is done.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'
import { PASSWORD } from '../support/password.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  await admin().call('addMember', { body: { name: 'lovelace', password: PASSWORD, packages: ['starter'] } })
  await admin().call('createKey', { body: { name: 'of-lovelace', package: 'starter', owner: 'lovelace' } })
})
afterAll(() => dashboard.close())

const admin = () => dashboard.farebox.admin

async function find(page: Page, text: string) {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill(text)
}
const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name })

/** Types `text` on the overview, and chooses what is found of `kind`. */
async function open(page: Page, { text, name, at }: { text: string; name: string; at: RegExp }) {
  await find(page, text)
  await option(page, name).click()
  await page.waitForURL(at)
}

describe('the palette finds', () => {
  it('keys, models, providers, members and settings by a part of their name', async () => {
    await dashboard.visit('/overview', async (page) => {
      await open(page, { text: 'of-love', name: 'Key of-lovelace', at: /\/keys\?open=/ })
      await page.getByRole('dialog', { name: 'of-lovelace' }).waitFor()
      await page.keyboard.press('Escape')
      await open(page, { text: 'demo-ch', name: 'Model demo-chat', at: /\/models\?open=demo-chat/ })
      await page.getByRole('dialog', { name: 'demo-chat' }).waitFor()
      await page.keyboard.press('Escape')
      await open(page, { text: 'demo', name: 'Provider demo', at: /\/providers\?open=/ })
      await page.getByRole('dialog', { name: 'demo' }).waitFor()
      await page.keyboard.press('Escape')
      await open(page, { text: 'LOVE', name: 'Member lovelace', at: /\/members\?open=/ })
      await page.getByRole('dialog', { name: 'lovelace' }).waitFor()
      await page.keyboard.press('Escape')
      await open(page, { text: 'hold wait', name: 'Setting hold_wait_ms', at: /\/settings\?open=hold_wait_ms/ })
      await expect.poll(() => page.evaluate("document.activeElement?.textContent?.includes('hold_wait_ms')")).toBe(true)
    })
  })

  it('a request by its id, also in the words of an error', async () => {
    const answer = await postChat({ url: dashboard.farebox.url, key: dashboard.key }, { model: 'demo-chat' })
    const id = answer.headers.get('x-request-id') ?? ''
    expect(id).not.toBe('')
    await answer.text()
    await dashboard.visit('/overview', async (page) => {
      await open(page, { text: `request_id: ${id.toUpperCase()}`, name: `Request ${id}`, at: /\/requests\?open=/ })
      await page.getByRole('dialog', { name: 'Receipt' }).getByText('demo-chat').first().waitFor()
    })
  })

  it('nothing where nothing has the name, and for a member nothing of what is others', async () => {
    await dashboard.visit('/overview', async (page) => {
      await find(page, 'zzzzzz')
      await page.getByText('No results').waitFor()
    })
    await dashboard.visit(
      '/overview',
      async (page) => {
        const asked: string[] = []
        page.on('request', (request) => asked.push(new URL(request.url()).pathname))
        await find(page, 'e')
        await option(page, 'Key of-lovelace').waitFor()
        expect(await option(page, /^(Member|Provider|Setting|Model) /).count()).toBe(0)
        expect(await option(page, /Pause/).count()).toBe(0)
        expect(asked.filter((path) => /members|providers|settings/.test(path))).toEqual([])
      },
      { member: { name: 'lovelace', password: PASSWORD } },
    )
  })
})

describe('the palette does from every page', () => {
  it('begin a key, which is gone from the address when it is left', async () => {
    await dashboard.visit('/usage', async (page) => {
      await find(page, 'create a key')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Create a key' }).waitFor()
      await page.keyboard.press('Escape')
      await page.waitForURL((url) => url.pathname === '/app/keys' && url.search === '')
    })
  })

  it('pause, and end the pause', async () => {
    await dashboard.visit('/usage', async (page) => {
      await find(page, 'pause for')
      await page.keyboard.press('Enter')
      await page.getByText('New calls are refused until').first().waitFor()
      expect((await admin().call('status', {})).paused_until).toBeDefined()
      await find(page, 'resume')
      await page.keyboard.press('Enter')
      await page.getByText('New calls are accepted again.').first().waitFor()
      expect((await admin().call('status', {})).paused_until).toBeUndefined()
    })
  })

  it('change the colours, in German too', async () => {
    await dashboard.visit(
      '/overview',
      async (page) => {
        await find(page, 'dunkel')
        await page.keyboard.press('Enter')
        await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
      },
      { language: 'de' },
    )
  })
})
