import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { microOf, moneyText } from '#renderer/data/money.ts'
import { balanceOf } from '../support/chat.ts'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { PASSWORD } from '../support/password.ts'

type Asked = { messages: { role: string }[]; tools?: { function: { name: string } }[] }

let dashboard: Dashboard
let upstream: Upstream
beforeAll(async () => {
  ;[dashboard, upstream] = await Promise.all([startDashboard(), startUpstream()])
  await setUpUpstream(dashboard.farebox, upstream.url)
})
afterAll(async () => {
  await dashboard.close()
  await upstream.close()
})

describe('a test request', () => {
  it('shows the answer as text and as it came, its headers, and what it cost', async () => {
    const before = await used()
    await dashboard.visit('/try?key=first&model=demo-chat', async (page) => {
      await page.getByLabel('Question').fill('Are you there?')
      await send(page)
      await page.getByText('You said: Are you there?').waitFor()
      await page.getByText('Open the receipt').waitFor()
      const charge = (await used()) - before
      expect(charge).toBeGreaterThan(0n)
      await page.getByTitle(`${moneyText(charge, 'en', 'exact')} credits`, { exact: true }).waitFor()
      await page.getByRole('tab', { name: 'Raw' }).click()
      await page.getByText('data: [DONE]').waitFor()
      await page.getByRole('tab', { name: 'Headers' }).click()
      await page.getByText('x-request-id').waitFor()
      await page.getByText('text/event-stream').waitFor()
    })
  })

  it.each(['messages', 'responses', 'embeddings'] as const)('can be made in the format of %s', async (format) => {
    await dashboard.visit(`/try?key=first&format=${format}`, async (page) => {
      await send(page)
      const words = format === 'embeddings' ? /A vector of \d+ numbers\./ : 'Hello from the Farebox demo model.'
      await page.getByRole('tabpanel').getByText(words).waitFor()
      await page.getByText('Open the receipt').waitFor()
    })
  })

  it('comes whole where pieces are not wanted', async () => {
    await dashboard.visit('/try?key=first&model=demo-chat', async (page) => {
      await page.getByLabel('Stream the answer').click()
      await send(page)
      await page.getByRole('tabpanel').getByText('Hello from the Farebox demo model.').waitFor()
      await page.getByRole('tab', { name: 'Headers' }).click()
      await page.getByText('application/json').waitFor()
    })
  })

  it('is sent as it is typed, once that is an object', async () => {
    await dashboard.visit('/try?key=first&model=demo-chat', async (page) => {
      await page.getByRole('radio', { name: 'JSON' }).click()
      const field = page.getByLabel('Request body')
      expect(JSON.parse(await field.inputValue())).toMatchObject({ model: 'demo-chat', stream: true })
      await field.fill('{"model":"demo-chat",')
      await page.getByText('Not a valid JSON object.').waitFor()
      expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
      await field.fill('{"model":"demo-chat","messages":[{"role":"user","content":"By hand"}]}')
      await send(page)
      await page.getByText('You said: By hand').waitFor()
    })
  })

  it('is stopped on request, and is charged for what came', async () => {
    upstream.script({ type: 'endless' })
    await dashboard.farebox.admin.call('createKey', { body: { name: 'stopping', package: 'plenty' } })
    await dashboard.visit('/try?key=stopping&model=chat', async (page) => {
      await send(page)
      await page.getByRole('status').getByText('Answering').waitFor()
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByRole('status').getByText('Stopped').waitFor()
      // The record is written when Farebox has seen the end of it.
      await page.getByText('Open the receipt').waitFor({ timeout: 40_000 })
      await page.getByRole('button', { name: 'Send' }).waitFor()
      await expect.poll(() => upstream.openSockets(), { timeout: 20_000 }).toBe(0)
    })
    upstream.forget()
  })

  it('goes on with what was said before, a system text and an image, and keeps nothing of it', async () => {
    upstream.forget()
    await dashboard.farebox.admin.call('createKey', { body: { name: 'talking', package: 'plenty' } })
    await dashboard.visit('/try?key=talking&model=chat', async (page) => {
      await page.getByLabel('System prompt').fill('Be brief.')
      await page.getByLabel('Question').fill('What is this?')
      await page
        .getByLabel('Image')
        .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no image') })
      await page.getByText('PNG, JPEG, WebP or GIF').waitFor()
      await page
        .getByLabel('Image')
        .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from('dot') })
      await page.getByText('An image (image/png) is sent with it.').waitFor()
      await send(page)
      await page.getByText('Open the receipt').waitFor()
      await page.getByRole('button', { name: 'Ask a follow-up' }).click()
      await page.getByRole('list', { name: 'Conversation' }).getByText('What is this?').waitFor()
      expect(await page.getByLabel('Question').inputValue()).toBe('')
      await page.getByLabel('Question').fill('And now?')
      await send(page)
      await page.getByText('Open the receipt').waitFor()
      const asked = upstream.requests.at(-1)?.body as { messages: { role: string; content: unknown }[] }
      expect(asked.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
      expect(JSON.stringify(asked.messages[1])).toContain(`data:image/png;base64,${btoa('dot')}`)
      expect(asked.messages[3]?.content).toBe('And now?')
      await page.getByRole('button', { name: 'Start over' }).click()
      expect(await page.getByRole('list', { name: 'Conversation' }).count()).toBe(0)
      const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])')
      for (const words of ['brief', 'What is this', 'And now']) expect(kept).not.toContain(words)
    })
  })

  it.each(['chat', 'messages', 'responses', 'gemini'] as const)(
    'calls a tool by hand, is given its result and goes on, in the format of %s, and keeps nothing of it',
    async (format) => {
      upstream.forget()
      const key = `calling-${format}`
      await dashboard.farebox.admin.call('createKey', { body: { name: key, package: 'plenty' } })
      upstream.once({
        type: 'answer',
        toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' }],
      })
      await dashboard.visit(`/try?key=${key}&model=chat&format=${format}`, async (page) => {
        await page.getByLabel('Question').fill('How is the weather in Oslo?')
        await page.getByRole('button', { name: 'Add a tool' }).click()
        const tools = page.getByLabel('Tools', { exact: true })
        const example = await tools.inputValue()
        await tools.fill('{"name":')
        await page.getByText('A tool is an object with a name').waitFor()
        expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
        await tools.fill(example)
        await send(page)
        const calls = page.getByRole('list', { name: 'Tool calls' })
        await calls.getByText('Calls get_weather').waitFor()
        await calls.getByText('"city": "Oslo"').waitFor()
        await calls.getByLabel('Result of get_weather').fill('7 degrees')
        await page.getByRole('button', { name: 'Send results' }).click()
        await calls.waitFor({ state: 'detached' })
        await page.getByRole('button', { name: 'Ask a follow-up' }).waitFor()
        const [first, second] = upstream.requests.map(({ body }) => body as Asked)
        expect(first?.tools?.map((tool) => tool.function.name)).toEqual(['get_weather'])
        expect(second?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
        expect(JSON.stringify(second?.messages[2])).toContain('7 degrees')
        const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])')
        for (const words of ['weather', 'Oslo', '7 degrees']) expect(kept).not.toContain(words)
      })
    },
  )

  it('is asked of two models side by side, each with its exact cost, its first token and its pace', async () => {
    await dashboard.farebox.admin.call('createKey', { body: { name: 'comparing', package: 'plenty' } })
    await dashboard.visit('/try?key=comparing&model=chat', async (page) => {
      await page.getByLabel('Compare with').selectOption('demo-chat')
      await page.getByLabel('Question').fill('Which of you?')
      await send(page)
      const own = page.getByRole('region', { name: 'Answer of chat', exact: true })
      const other = page.getByRole('region', { name: 'Answer of demo-chat', exact: true })
      await other.getByText('You said: Which of you?').waitFor()
      for (const answer of [own, other]) {
        await answer.getByText('Open the receipt').waitFor()
        await answer.getByText('first token after').waitFor()
      }
      const { usage } = await dashboard.farebox.admin.call('usage', { query: { key: 'comparing' } })
      expect(usage.map(({ model }) => model).toSorted()).toEqual(['chat', 'demo-chat'])
      for (const { model, charge_credits: charge } of usage) {
        const exact = moneyText(microOf(charge) ?? 0n, 'en', 'exact')
        await (model === 'chat' ? own : other).getByTitle(`${exact} credits`, { exact: true }).waitFor()
      }
      expect(new URL(page.url()).searchParams.get('beside')).toBe('demo-chat')
    })
    await dashboard.visit(
      '/try?key=comparing&model=chat&beside=demo-chat',
      async (page) => {
        await page.getByLabel('Daneben').waitFor()
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(420)
      },
      { language: 'de', theme: 'dark', width: 420 },
    )
  })

  it('leaves nothing of what was asked in the address', async () => {
    await dashboard.visit('/try', async (page) => {
      await page.getByLabel('Question').fill('my little secret')
      await send(page)
      await page.getByText('You said: my little secret').waitFor()
      expect(decodeURIComponent(page.url())).not.toContain('secret')
      expect(await page.evaluate('JSON.stringify([{...localStorage}, {...sessionStorage}])')).not.toContain('little')
    })
  })
})

describe('a request that is refused', () => {
  it('says why, costs nothing, and does not end the session', async () => {
    const { admin } = dashboard.farebox
    await admin.call('createKey', { body: { name: 'gone', package: 'starter' } })
    await admin.call('revokeKey', { id: 'gone' })
    await dashboard.visit('/try?key=gone&model=demo-chat', async (page) => {
      await send(page)
      const tab = page.getByRole('tabpanel')
      await tab.getByRole('alert').waitFor()
      await page.getByText('No charge: the request was refused before it started.').waitFor()
      expect(page.url()).toContain('/app/try')
      expect(await page.evaluate('sessionStorage.getItem("farebox-session")')).not.toBeNull()
    })
  })

  it('says that nothing answers where Farebox is gone', async () => {
    await dashboard.visit('/try', async (page) => {
      await page.getByLabel('Question').waitFor()
      await page.route('**/api/try', (route) => route.abort())
      await send(page)
      await page.getByText('Farebox does not answer. Is it still running?').waitFor()
      await page.getByRole('status').getByText('No answer').waitFor()
    })
  })
})

describe('the page', () => {
  it('offers the models that the package of the key includes, and says whose choice that is', async () => {
    const { admin } = dashboard.farebox
    await admin.call('addPackage', { body: { name: 'trial', type: 'topup', credits: 1, models: ['chat'] } })
    await admin.call('createKey', { body: { name: 'on-trial', package: 'trial' } })
    await dashboard.visit('/try?key=on-trial&model=demo-chat', async (page) => {
      const offered = page.getByLabel('Model', { exact: true }).getByRole('option')
      await page.getByText('Models of the package “trial”.').waitFor()
      expect((await offered.allTextContents()).map((text) => text.split(' ')[0])).toEqual(['chat'])
      await page.getByLabel('Key', { exact: true }).selectOption('first')
      await page.getByText('“trial” includes').waitFor({ state: 'detached' })
      expect(await offered.count()).toBeGreaterThan(1)
    })
  })

  it('tells a member without a key what to do first', async () => {
    await dashboard.farebox.admin.call('addMember', { body: { name: 'ada', password: PASSWORD } })
    await dashboard.visit(
      '/try?key=first',
      async (page) => {
        await page.getByText('No key to try').waitFor()
        expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0)
      },
      { member: { name: 'ada', password: PASSWORD } },
    )
  })
})

async function send(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send' }).click()
}

/** Of the first key, in micro-credits. */
async function used(): Promise<bigint> {
  const { used_credits: credits } = await balanceOf({ url: dashboard.farebox.url, key: dashboard.key })
  return (typeof credits === 'number' ? microOf(credits) : undefined) ?? 0n
}
