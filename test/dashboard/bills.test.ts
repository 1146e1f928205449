// Bills on their page: a file is shown as it is read, kept, and its days are looked at and settled.

import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { openRow, seriousViolations, startDashboard, type Dashboard } from '../support/dashboard.ts'
import { ADA } from '../support/dashboard-panels.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const HEAD = 'start_time,end_time,model,num_model_requests,api_key_id,input_tokens,output_tokens,input_cached_tokens'
const DAY_S = 86_400

let dashboard: Dashboard
let file: string
/** The day of UTC on which the calls began. */
let day: string
let ours: { readonly model: string; readonly input: number; readonly output: number; readonly provider: string }
beforeAll(async () => {
  dashboard = await startDashboard()
  const { farebox, key } = dashboard
  await farebox.admin.call('addMember', { body: ADA })
  await (await postChat({ url: farebox.url, key }, { model: 'demo-chat' })).text()
  const [call] = (await farebox.admin.call('usage', { query: {} })).usage
  const receipt = await farebox.admin.call('receipt', { id: call?.id ?? '' })
  day = (call?.created_at ?? '').slice(0, 10)
  ours = {
    model: receipt.upstream_model ?? '',
    input: Number(receipt.tokens.input.tokens),
    output: Number(receipt.tokens.output.tokens),
    provider: receipt.provider ?? '',
  }
  file = join(farebox.dataDir, 'usage.csv')
})
afterAll(() => dashboard.close())

function write(input: number, output: number): void {
  const startS = Date.parse(day) / 1000
  const line = [startS, startS + DAY_S, ours.model, 1, 'key_a', input, output, 0].join()
  writeFileSync(file, `${HEAD}\n${line}`)
}

const rowOfDay = (page: Page) => page.getByRole('row').filter({ has: page.getByText(day, { exact: true }) })

/** The dialog with the file in it, looked at. */
async function look(page: Page) {
  await page.getByRole('button', { name: 'Add a report' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a report' })
  await dialog.getByLabel('Provider').selectOption(ours.provider)
  await dialog.getByLabel('File', { exact: true }).fill(file)
  await dialog.getByRole('button', { name: 'Preview' }).click()
  return dialog
}

describe('a report', () => {
  it('shows how it is read before it is kept, and then agrees day by day', async () => {
    write(ours.input, ours.output)
    await dashboard.visit('/bills', async (page) => {
      await page.getByText('No reports yet').waitFor()
      const dialog = await look(page)
      const preview = dialog.getByRole('group', { name: 'Preview' })
      await preview.getByText('Read as OpenAI, usage').waitFor()
      await preview.getByText('input_tokens', { exact: true }).waitFor()
      expect((await dashboard.farebox.admin.call('listBills', { query: {} })).days).toEqual([])
      expect(await seriousViolations(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Store report' }).click()
      await rowOfDay(page).getByText('agrees', { exact: true }).waitFor()
      await page.getByRole('status').getByText(`Bills agree until ${day}.`).waitFor()
      await page.getByRole('link', { name: 'Overview' }).click()
      await page.getByRole('link', { name: `Bills agree until ${day}` }).click()
      await rowOfDay(page).waitFor()
    })
  })

  it('that differs says so in red, and its day has the difference and what can be done', async () => {
    write(ours.input + 100, ours.output)
    await dashboard.visit('/bills', async (page) => {
      const dialog = await look(page)
      await dialog.getByText('1 of them is unexplained.').waitFor()
      await dialog.getByRole('button', { name: 'Store report' }).click()
      await page.getByRole('status').getByText('1 unexplained difference in tokens.').waitFor()
      await openRow(rowOfDay(page))
      const drawer = page.getByRole('dialog', { name: `${ours.provider}, ${day}` })
      await drawer.getByText('Differences in tokens').waitFor()
      await drawer.getByText(ours.model, { exact: true }).waitFor()
      await drawer.getByText('Nothing to correct.').waitFor()
      expect(await seriousViolations(page)).toEqual([])
    })
  })

  it('says how much of an amount the tokens make, and what the rest of it is', async () => {
    const costs = join(dashboard.farebox.dataDir, 'costs.csv')
    const startS = Date.parse(day) / 1000
    // The hundred tokens that are too many cost a cent, and twice as much again is for nothing.
    const billed = (ours.input * 100 + ours.output * 400) / 1e6 + 0.03
    const line = [startS, startS + DAY_S, billed.toFixed(6), 'usd', `"${ours.model}, input"`].join()
    writeFileSync(costs, `start_time,end_time,amount_value,amount_currency,line_item\n${line}`)
    await dashboard.farebox.admin.call('checkBill', { body: { provider: ours.provider, file: costs, keep: true } })
    await dashboard.visit('/bills', async (page) => {
      await page.getByRole('status').getByText('2 unexplained differences: 0.01 USD.').waitFor()
      await openRow(rowOfDay(page))
      const drawer = page.getByRole('dialog', { name: `${ours.provider}, ${day}` })
      await drawer.getByText('due to tokens: 0.01 USD').waitFor()
      await drawer.getByText('price differs, unexplained').waitFor()
      await drawer.getByRole('link', { name: 'Correct the price from now on' }).waitFor()
      expect(await seriousViolations(page)).toEqual([])
    })
  })

  it('that cannot be read is refused where it was typed, and nothing changes', async () => {
    writeFileSync(file, 'nothing of a bill')
    const before = await dashboard.farebox.admin.call('listBills', { query: {} })
    await dashboard.visit('/bills', async (page) => {
      const dialog = await look(page)
      await dialog.getByRole('alert').getByText('The columns are of no file that Farebox reads').waitFor()
    })
    expect(await dashboard.farebox.admin.call('listBills', { query: {} })).toEqual(before)
  })
})

describe('answers that say what they cost', () => {
  let upstream: Upstream
  let differing = ''
  beforeAll(async () => {
    const { farebox } = dashboard
    upstream = await startUpstream()
    await setUpUpstream(farebox, upstream.url)
    const target = { url: farebox.url, key: await farebox.newKey('plenty') }
    for (const cost of [0.000039, 0.00006]) {
      upstream.script({ type: 'answer', usage: { prompt_tokens: 19, completion_tokens: 10, cost } })
      const response = await postChat(target, { model: 'chat' })
      await response.text()
      differing = response.headers.get('x-request-id') ?? ''
    }
    // The list is up to fifteen seconds old, but not after a comparison.
    write(ours.input, ours.output)
    await farebox.admin.call('checkBill', { body: { provider: ours.provider, file } })
  })
  afterAll(() => upstream.close())

  it('have a day without any report, whose drawer leads to the calls and their receipts', async () => {
    await dashboard.visit('/bills', async (page) => {
      const row = rowOfDay(page).filter({ hasText: 'upstream' })
      await openRow(row)
      const drawer = page.getByRole('dialog', { name: `upstream, ${day}` })
      await drawer.getByText('answers of that day').waitFor()
      await drawer.getByText('price differs', { exact: true }).waitFor()
      expect(await drawer.getByRole('link').count()).toBe(1)
      expect(await seriousViolations(page)).toEqual([])
      await drawer.getByRole('link', { name: differing }).click()
      await page.getByText('The answer says that it costs 0.00006 USD.').waitFor()
      expect(await seriousViolations(page)).toEqual([])
    })
  })
})

it("a provider's drawer has what it says was spent, beside ours", async () => {
  await dashboard.visit('/providers', async (page) => {
    await openRow(page.getByRole('row').filter({ has: page.getByText('upstream', { exact: true }) }))
    const drawer = page.getByRole('dialog', { name: 'upstream' })
    for (const name of ['Today (UTC)', 'This month (UTC)']) {
      const part = drawer.getByRole('group', { name })
      await part.getByText('Their bill, USD').waitFor()
      // Two calls of 0.000039, of which one was billed otherwise.
      await part.getByTitle('0.000099 USD').waitFor()
      await part.getByTitle('0.000078 USD').waitFor()
      await part.getByText('Up to').waitFor()
    }
    expect(await seriousViolations(page)).toEqual([])
  })
})

it('is for administrators alone', async () => {
  await dashboard.visit(
    '/bills',
    async (page) => {
      await page.waitForURL('**/app/overview')
      expect(await page.getByRole('link', { name: 'Bills' }).count()).toBe(0)
    },
    { member: ADA },
  )
})

it('shows what is left on accounts once somebody asks', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end('{"balance_infos":[{"currency":"CNY","total_balance":"1110.50"}]}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const body = { name: 'deepseek', preset: 'deepseek', base_url, network: 'local', secret: 'sk-1' } as const
  await dashboard.farebox.admin.call('addProvider', { body })
  await dashboard.visit('/bills', async (page) => {
    const accounts = page.getByRole('region', { name: 'Account balances' })
    await accounts.getByText('not requested yet').waitFor()
    expect(asked).toEqual([])
    await accounts.getByRole('button', { name: 'Refresh' }).click()
    await accounts.getByText('1,110.50 CNY').waitFor()
    expect(asked).toEqual(['/user/balance'])
  })
  await dashboard.visit('/providers', async (page) => {
    await openRow(page.getByRole('row').filter({ has: page.getByText('deepseek', { exact: true }) }))
    const drawer = page.getByRole('dialog', { name: 'deepseek' })
    await drawer.getByRole('heading', { name: 'Account balances' }).waitFor()
    await drawer.getByText('1,110.50 CNY').waitFor()
  })
  server.close()
})
