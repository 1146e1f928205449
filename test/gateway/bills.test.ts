// A report in a file against the calls of a running gateway.

import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chat, manualClock, startPair, type Pair } from './support.ts'

const DAY_START = Date.parse('2026-10-01T00:00:00Z')
const HEAD = 'start_time,end_time,model,num_model_requests,api_key_id,input_tokens,output_tokens,input_cached_tokens'

let pair: Pair | undefined
let file: string

beforeEach(async () => {
  const started = await startPair({ clock: manualClock('2026-10-01T10:01:00.000Z') })
  pair = started
  file = join(started.farebox.dataDir, 'usage.csv')
  const key = await started.farebox.newKey('plenty')
  for (let calls = 0; calls < 2; calls++) await (await chat(started.farebox, key)).text()
})

afterEach(async () => {
  await pair?.close()
  pair = undefined
})

/** Two ordinary calls use 19 input and 10 output tokens each. */
async function write(requests: number, input: number, output: number, account = 'key_a'): Promise<void> {
  const day = [DAY_START / 1000, DAY_START / 1000 + 86_400]
  await writeFile(file, [HEAD, [...day, 'real-chat-2026-01-01', requests, account, input, output, 0].join()].join('\n'))
  const later = new Date(DAY_START + 5 * 86_400_000)
  await utimes(file, later, later)
}

function admin() {
  if (pair === undefined) throw new Error('nothing is started')
  return pair.farebox.admin
}

function check(accounts?: string[]) {
  const body = { provider: 'upstream', file, ...(accounts === undefined ? {} : { account_keys: accounts }) }
  return admin().call('checkBill', { body })
}

describe('checking a bill', () => {
  it('agrees with what the provider counted', async () => {
    await write(2, 38, 20)
    expect(await check()).toMatchObject({
      provider: 'upstream',
      from: '2026-10-01T00:00:00.000Z',
      made_at: '2026-10-06T00:00:00.000Z',
      columns: { format: 'OpenAI, usage' },
      tokens: { compared: 1, differing: 0, differences: [] },
      money: { compared: 0, differing: 0 },
      unexplained: 0,
    })
  })

  it('says what went through others, and what nothing explains', async () => {
    await write(3, 50, 22)
    const others = {
      ours: { input: 38, output: 20 },
      theirs: { input: 50, output: 22 },
      causes: ['not_through_farebox'],
    }
    expect(await check()).toMatchObject({ tokens: { differences: [others] }, unexplained: 0 })
    await write(2, 50, 22)
    expect(await check()).toMatchObject({ tokens: { differences: [{ causes: ['unexplained'] }] }, unexplained: 1 })
    expect(await check(['key_b'])).toMatchObject({ tokens: { differing: 2 }, unexplained: 1 })
  })

  it('refuses what it cannot read, and says nothing of what is in it', async () => {
    const ask = (body: { provider: string; file: string }) => admin().call('checkBill', { body })
    await expect(ask({ provider: 'upstream', file: 'usage.csv' })).rejects.toThrow("'file' must be an absolute path.")
    await expect(ask({ provider: 'upstream', file: `${file}.gone` })).rejects.toThrow('cannot be read')
    await expect(ask({ provider: 'nobody', file })).rejects.toThrow('nobody')
    await writeFile(file, 'secret of somebody')
    const refused = await ask({ provider: 'upstream', file }).catch((error: unknown) => String(error))
    expect(refused).toContain('The columns are of no file that Farebox reads')
    expect(refused).not.toContain('somebody')
  })
})
