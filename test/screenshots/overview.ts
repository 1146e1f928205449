// Takes the picture of the README anew: `npm run screenshot`. It shows the dashboard as it is, over a week of calls that the demo
// provider answered: no account is needed, and nothing is drawn for the picture.

import { join } from 'node:path'
import { launchBrowser } from '../support/browser.ts'
import { postChat } from '../support/chat.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'

const FILE = join(import.meta.dirname, '..', '..', 'docs', 'screenshots', 'overview-light.png')
const DAYS = 7
const DAY_MS = 86_400_000
const PORT = 3273

/** Credits per million tokens, high enough for a week of short calls to be seen. */
const MODELS = [
  { id: 'claude-sonnet-5', input: 300, output: 1500, calls: [5, 3, 6, 2, 9, 4, 3] },
  { id: 'gpt-6-sol', input: 125, output: 1000, calls: [3, 5, 2, 4, 4, 6, 3] },
  { id: 'claude-haiku-5', input: 100, output: 500, calls: [4, 2, 5, 3, 4, 7, 5] },
  { id: 'qwen3:8b', input: 20, output: 60, calls: [6, 4, 3, 5, 2, 4, 6] },
] as const

let behindMs = DAYS * DAY_MS
const farebox = await startFarebox({
  port: PORT,
  clock: { nowMs: () => Date.now() - behindMs, monotonicMs: () => performance.now() },
})
try {
  await fill(farebox)
  await photograph(farebox)
} finally {
  await farebox.close()
}

async function fill({ url, admin }: Farebox): Promise<void> {
  await admin.call('addDemo', {})
  await admin.call('addPackage', { body: { name: 'team', type: 'monthly', credits: 50 } })
  for (const { id, input, output } of MODELS) {
    const targets = [{ provider: 'demo', model: 'demo-chat' }]
    const price = { input, output }
    await admin.call('addModel', {
      body: { id, kind: 'chat', context_window: 200_000, max_output_tokens: 8_000, price, targets },
    })
  }
  const names = ['claude-code', 'codex', 'ci']
  const keys: string[] = []
  for (const name of names) {
    keys.push((await admin.call('createKey', { body: { name, package: 'team', expires: '365d' } })).key)
  }
  for (let day = 0; day < DAYS; day += 1) {
    behindMs = (DAYS - 1 - day) * DAY_MS
    for (const [index, { id, calls }] of MODELS.entries()) {
      for (let call = 0; call < (calls[day] ?? 0); call += 1) {
        const content = 'Say which tests of this change fail, and why. '.repeat(20 + call * 9)
        const answer = await postChat(
          { url, key: keys[(index + call) % keys.length] ?? '' },
          { model: id, stream: true, messages: [{ role: 'user', content }] },
        )
        if (!answer.ok) throw new Error(`${id}: ${answer.status} ${await answer.text()}`)
        await answer.arrayBuffer()
      }
    }
  }
}

async function photograph({ url, admin }: Farebox): Promise<void> {
  const { ticket } = await admin.call('makeTicket', {})
  const browser = await launchBrowser()
  const page = await browser.newPage({
    viewport: { width: 1280, height: 860 },
    locale: 'en',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  })
  await page.goto(`${url}/#ticket=${ticket}`)
  await page.getByRole('table', { name: 'Latest requests' }).getByRole('row').nth(1).waitFor({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Not now' }).click()
  await page.locator('.recharts-bar-rectangle').first().waitFor()
  await page.evaluate('document.fonts.ready')
  await page.screenshot({ path: FILE })
  await browser.close()
}
