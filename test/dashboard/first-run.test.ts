import { afterAll, beforeAll, expect, it } from 'vitest'
import { microOf, moneyText } from '#renderer/data/money.ts'
import { balanceOf, postChat } from '../support/chat.ts'
import { quickestMs, startDashboard, type Dashboard } from '../support/dashboard.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { plainList } from '../support/upstream-models.ts'

let dashboard: Dashboard
let upstream: Upstream
beforeAll(async () => {
  ;[dashboard, upstream] = await Promise.all([startDashboard(), startUpstream()])
})
afterAll(async () => {
  await dashboard.close()
  await upstream.close()
})

it('leads from the demo to the first metered answer, whose charge is the same wherever it is said', async () => {
  await dashboard.visit('/overview', async (page) => {
    await page.getByRole('link', { name: 'Start', exact: true }).click()
    await page.getByRole('tab', { name: 'The demo' }).click()
    await page.getByRole('button', { name: 'Go on with the demo' }).click()

    await page.getByRole('heading', { name: 'Make a key for your tools' }).waitFor()
    await page.getByLabel('Name').fill('first')
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('first')
    await page.getByLabel('Name').fill('my-editor')
    await page.getByRole('button', { name: 'Create the key' }).click()

    await page.getByRole('heading', { name: 'Connect a tool' }).waitFor()
    const lines = await page.getByRole('region', { name: 'Terminal' }).innerText()
    const key = /key_[A-Za-z0-9]{38}/.exec(lines)?.[0] ?? ''
    expect(lines).toContain(`${dashboard.farebox.url}/v1/chat/completions`)
    expect(page.url()).not.toContain(key)
    expect(await page.evaluate('JSON.stringify([{...localStorage}, {...sessionStorage}])')).not.toContain(key)
    await page.getByRole('button', { name: 'I have pasted them' }).click()

    await page.getByText('Waiting for a request with the key “my-editor”').waitFor()
    const response = await postChat({ url: dashboard.farebox.url, key }, { model: 'demo-chat' })
    expect(response.status).toBe(200)
    await page.getByText('Your first request has arrived').waitFor()
    await page.getByText('demo-chat → demo').waitFor()
    await page.getByRole('button', { name: 'Go to the overview' }).click()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await page.getByText('left of').waitFor()
    expect(await page.getByRole('link', { name: 'Start', exact: true }).count()).toBe(0)

    await page.getByRole('navigation').getByRole('link', { name: 'Requests' }).click()
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    const ids = [response.headers.get('x-request-id') ?? '']
    const arrivedMs = await quickestMs(async () => {
      const next = await postChat({ url: dashboard.farebox.url, key }, { model: 'demo-chat' })
      await next.text()
      const endedMs = performance.now()
      ids.unshift(next.headers.get('x-request-id') ?? '')
      await page.locator(`[data-id="${ids[0]}"]`).waitFor()
      return performance.now() - endedMs
    })
    expect(arrivedMs).toBeLessThan(1000)
    const charges = await Promise.all(ids.map((id) => chargeOf(key, id)))
    for (const [index, charge] of charges.entries()) {
      const title = `${moneyText(charge, 'en', 'exact')} credits`
      await page.locator(`[data-id="${ids[index]}"]`).getByTitle(title, { exact: true }).waitFor()
    }
    const used = charges.reduce((sum, charge) => sum + charge, 0n)
    expect(used).toBeGreaterThan(0n)
    const balance = await balanceOf({ url: dashboard.farebox.url, key })
    expect(microOf(Number(balance['used_credits']))).toBe(used)
    const { entries } = await dashboard.farebox.admin.call('listLedger', {
      query: { key: 'my-editor', kind: 'settle' },
    })
    expect(entries.map((entry) => microOf(entry.charge_credits ?? 0))).toEqual(charges)
    expect(microOf(entries[0]?.available_credits ?? 0)).toBe(microOf(Number(balance['remaining_credits'])))
  })
})

/** What the receipt of a call says, in micro-credits. */
async function chargeOf(key: string, id: string): Promise<bigint> {
  const answer = await fetch(`${dashboard.farebox.url}/v1/receipts/${id}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { charge_credits: credits } = (await answer.json()) as { readonly charge_credits: number }
  const micro = microOf(credits)
  if (micro === undefined) throw new Error(`${credits} is no amount`)
  return micro
}

it('goes on where it was left, and says that the value of the key is gone', async () => {
  const { id } = await dashboard.farebox.admin.call('createKey', { body: { name: 'later', package: 'starter' } })
  await dashboard.visit(`/first-run?step=connect&key=${id}`, async (page) => {
    await page.getByText('The value of the key “later” is not known here any more.').waitFor()
    expect(await page.getByRole('region', { name: 'Terminal' }).innerText()).toContain('YOUR_KEY')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('button', { name: 'Send one from here' }).click()
    await page.getByText('Your first request has arrived').waitFor()
    await page.reload()
    await page.getByText('Your first request has arrived').waitFor()
  })
})

it('adds a provider from a preset, tests it, corrects it, and adds what it serves', async () => {
  upstream.script(plainList('tiny-model', 'other-model'))
  await dashboard.visit('/first-run?step=provider', async (page) => {
    await page.getByLabel('Provider', { exact: true }).selectOption('vllm')
    await page.getByLabel('Address', { exact: true }).fill('http://127.0.0.1:9/v1')
    await page.getByRole('button', { name: 'Add and test' }).click()
    await page.getByRole('button', { name: 'Go on anyway' }).waitFor()
    expect(await page.getByLabel('Address', { exact: true }).inputValue()).toBe('http://127.0.0.1:9/v1')
    await page.getByLabel('Address', { exact: true }).fill(upstream.url)
    await page.getByRole('button', { name: 'Add and test' }).click()

    await page.getByRole('searchbox', { name: 'Search the models' }).fill('tiny')
    await page.getByRole('checkbox', { name: /tiny-model/ }).click()
    const context = page.getByLabel('Context window')
    if (await context.isVisible()) await context.fill('32,768')
    await page.getByRole('button', { name: 'Add 1 model' }).click()
    await page.getByRole('heading', { name: 'Make a key for your tools' }).waitFor()
    const models = await dashboard.farebox.admin.call('listModels', {})
    expect(models.map(({ id }) => id)).toContain('tiny-model')
    const providers = await dashboard.farebox.admin.call('listProviders', {})
    expect(providers.filter(({ preset }) => preset === 'vllm').map(({ base_url: url }) => url)).toEqual([upstream.url])
  })
})

it('makes a package where the one for the key is still missing', async () => {
  await dashboard.visit('/first-run?step=key', async (page) => {
    await page.getByLabel('Package').selectOption({ label: 'A new package, by the month' })
    await page.getByLabel('Credits per month').fill('twenty')
    await page.getByLabel('Name').fill('of-a-new-package')
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByRole('alert').first().waitFor()
    await page.getByLabel('Credits per month').fill('20.5')
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByRole('heading', { name: 'Connect a tool' }).waitFor()
    const packages = await dashboard.farebox.admin.call('listPackages', {})
    expect(packages.filter(({ credits, type }) => credits === 20.5 && type === 'monthly')).toHaveLength(1)
  })
})

it('says that no model server answers on this machine, and looks again on request', async () => {
  await dashboard.visit('/first-run?step=provider', async (page) => {
    await page.route('**/api/discovery', (route) =>
      route.fulfill({ json: { servers: [], added: { providers: [], models: [] } } }),
    )
    await page.getByRole('tab', { name: 'On this machine' }).click()
    await page.getByText('No model server answers on this machine.').waitFor()
    const again = page.waitForRequest('**/api/discovery')
    await page.getByRole('button', { name: 'Look again' }).click()
    await again
  })
})
