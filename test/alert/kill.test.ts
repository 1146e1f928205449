// Alerts against `kill -9`: whenever the process dies, the next one tells what was reached and not told yet, and nothing twice.

import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DEFAULT_THRESHOLDS } from '#core/alerts.ts'
import { postChat } from '../support/chat.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { endProcesses, startProcess, temporaryFolder } from '../support/process.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { startReceiver, type Receiver } from './receiver.ts'
import { isLong } from '../support/cases.ts'

const KILLS = isLong ? 200 : 6
const PATIENCE = { timeout: 30_000, interval: 50 }
const CREDITS = 0.001

let upstream: Upstream
let receiver: Receiver

beforeEach(async () => {
  upstream = await startUpstream()
  receiver = await startReceiver()
})

afterEach(async () => {
  await endProcesses()
  await receiver.close()
  await upstream.close()
})

it(
  `tells each threshold once, over ${KILLS} kills right behind an answer`,
  { timeout: 60_000 + KILLS * 20_000 },
  async () => {
    const dataDir = join(await temporaryFolder(), 'data')
    let program = await startProcess({ dataDir })
    await setUpUpstream(program, upstream.url, [{ name: 'small', type: 'topup', credits: CREDITS }])
    await program.admin.call('addWebhook', { body: { name: 'ops', url: receiver.url, network: 'local' } })
    const { key } = await program.admin.call('createKey', { body: { name: 'spender', package: 'small' } })
    for (let kill = 0; kill < KILLS; kill += 1) {
      // About a sixth of the credits: every second kill or so a threshold was just reached.
      upstream.once({ type: 'answer', usage: { prompt_tokens: 163, completion_tokens: 1 } })
      const body = { model: 'chat', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1 }
      await (await postChat({ url: program.url, key }, body)).text()
      program.kill('SIGKILL')
      await program.exited
      program = await startProcess({ dataDir })
      const { balance } = await program.admin.call('showKey', { id: 'spender' })
      const part = ((balance.used_credits ?? 0) / CREDITS) * 100
      const expected = DEFAULT_THRESHOLDS.filter((threshold) => part >= threshold)
      const { admin } = program
      const told = async () =>
        (await admin.call('listAlerts', {})).map(({ threshold }) => threshold).toSorted((one, other) => one - other)
      await expect.poll(told, PATIENCE).toEqual(expected)
    }
    const told = await program.admin.call('listAlerts', {})
    expect(told.length).toBeGreaterThan(0)
    const ids = () =>
      new Set(receiver.received.map(({ body }) => (JSON.parse(body) as { data: { alert_id: string } }).data.alert_id))
    await expect.poll(ids, PATIENCE).toEqual(new Set(told.map(({ id }) => id)))
  },
)
