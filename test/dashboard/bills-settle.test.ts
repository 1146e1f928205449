// A call that was charged by an estimate: what its bill makes of it is shown, made with one button, and stands on its receipt.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { openRow, seriousViolations, startDashboard, type Dashboard } from '../support/dashboard.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

let dashboard: Dashboard
let upstream: Upstream
let call = ''
let day = ''
let charged = 0
beforeAll(async () => {
  dashboard = await startDashboard()
  upstream = await startUpstream()
  const { farebox } = dashboard
  await setUpUpstream(farebox, upstream.url)
  upstream.script({ type: 'answer', usage: null })
  const response = await postChat({ url: farebox.url, key: await farebox.newKey('plenty') })
  await response.text()
  const [record] = (await farebox.admin.call('usage', { query: {} })).usage
  call = record?.id ?? ''
  const receipt = await farebox.admin.call('receipt', { id: call })
  charged = receipt.charge_credits
  day = (record?.created_at ?? '').slice(0, 10)
  // The provider counted five more going in and seven more coming out.
  const counts = [Number(receipt.tokens.input.tokens) + 5, Number(receipt.tokens.output.tokens) + 7]
  const startS = Date.parse(day) / 1000
  const head = 'start_time,end_time,model,num_model_requests,api_key_id,input_tokens,output_tokens,input_cached_tokens'
  const file = join(farebox.dataDir, 'usage.csv')
  writeFileSync(file, [head, [startS, startS + 86_400, 'real-chat', 1, 'key_a', ...counts, 0].join()].join('\n'))
  await farebox.admin.call('checkBill', { body: { provider: 'upstream', file, keep: true } })
})
afterAll(async () => {
  await dashboard.close()
  await upstream.close()
})

const corrections = async () => {
  return (await dashboard.farebox.admin.call('listLedger', { query: { kind: 'adjustment' } })).entries
}

const creditsText = (credits: number) => String(Number(credits.toFixed(6)))

it('is shown before it is done, is done once, and its receipt has both numbers', async () => {
  await dashboard.visit('/bills', async (page) => {
    await openRow(page.getByRole('row').filter({ hasText: 'upstream' }))
    const drawer = page.getByRole('dialog', { name: `upstream, ${day}` })
    await drawer.getByText('estimated by us', { exact: true }).waitFor()
    await drawer.getByText('pending').waitFor()
    expect(await corrections()).toEqual([])
    expect(await seriousViolations(page)).toEqual([])
    await drawer.getByRole('button', { name: 'Settle' }).click()
    await drawer.getByText('made', { exact: true }).waitFor()
    await drawer.getByRole('button', { name: 'Settle' }).waitFor({ state: 'detached' })
    // 5 tokens going in at 1 and 7 coming out at 2 credits per million.
    expect(await corrections()).toMatchObject([{ amount_credits: -0.000019 }])
    await drawer.getByRole('link', { name: call }).click()
    const receipt = page.getByRole('dialog')
    await receipt.getByText("After the provider's bill:").waitFor()
    await receipt
      .getByText(creditsText(charged + 0.000019))
      .first()
      .waitFor()
    await receipt.getByText(creditsText(charged)).first().waitFor()
    expect(await seriousViolations(page)).toEqual([])
  })
})
