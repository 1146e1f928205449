// A report in a file against the calls of a running gateway.

import { execFileSync } from 'node:child_process'
import { truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chat, manualClock, startPair, type Pair } from './support.ts'

const DAY_START = Date.parse('2026-10-01T00:00:00Z')
const HEAD = 'start_time,end_time,model,num_model_requests,api_key_id,input_tokens,output_tokens,input_cached_tokens'

let pair: Pair | undefined
let file: string
let key: string

beforeEach(async () => {
  const started = await startPair({ clock: manualClock('2026-10-01T10:01:00.000Z') })
  pair = started
  file = join(started.farebox.dataDir, 'usage.csv')
  key = await started.farebox.newKey('plenty')
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

function running(): Pair {
  if (pair === undefined) throw new Error('nothing is started')
  return pair
}

function admin() {
  return running().farebox.admin
}

async function callAnswered(...script: Parameters<Pair['upstream']['script']>): Promise<void> {
  running().upstream.script(...script)
  await (await chat(running().farebox, key)).text()
}

/** The id of the latest call, what it was charged and what Farebox counted for it. */
async function latestCall() {
  const [latest] = (await admin().call('usage', { query: { limit: '1' } })).usage
  if (latest === undefined) throw new Error('there was no call')
  const receipt = await admin().call('receipt', { id: latest.id })
  const counted = (name: 'input' | 'output') => {
    const { tokens } = receipt.tokens[name]
    if (typeof tokens !== 'number') throw new Error(`nobody counted the ${name}`)
    return tokens
  }
  return { id: latest.id, charge: receipt.charge_credits, input: counted('input'), output: counted('output') }
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

  it.skipIf(process.platform === 'win32')(
    'refuses a device and a pipe at once, and a file that is too large',
    async () => {
      const ask = (path: string) => admin().call('checkBill', { body: { provider: 'upstream', file: path } })
      await expect(ask('/dev/null')).rejects.toThrow('/dev/null is not a file.')
      const pipe = `${file}.pipe`
      execFileSync('mkfifo', [pipe])
      await expect(ask(pipe)).rejects.toThrow('is not a file.')
      await writeFile(file, '')
      await truncate(file, 64 * 1_048_576 + 1)
      await expect(ask(file)).rejects.toThrow('is larger than 64 MB.')
    },
  )

  it('knows an attempt that failed before the one that answered', async () => {
    running().upstream.once({ type: 'status', status: 500 })
    await callAnswered({ type: 'answer' })
    await write(4, 76, 30)
    const { id } = await latestCall()
    expect(await check()).toMatchObject({
      // The report does not tell keys apart, so that one request more may be somebody else's as well.
      tokens: { differences: [{ causes: ['not_through_farebox', 'repeated_attempt'], calls: [id] }] },
      unexplained: 0,
    })
  })
})

describe('settling a bill', () => {
  const settle = (dryRun?: true) => {
    const body = { provider: 'upstream', file, ...(dryRun === undefined ? {} : { dry_run: dryRun }) }
    return admin().call('settleBill', { body })
  }
  const adjustments = async () => (await admin().call('listLedger', { query: { kind: 'adjustment' } })).entries

  it('charges an estimated call what the report shows, once', async () => {
    await callAnswered({ type: 'answer', usage: null })
    const { id, charge, input, output } = await latestCall()
    // The provider counted 5 input and 7 output tokens more, at 1 and 2 credits per million.
    await write(3, 38 + input + 5, 20 + output + 7)
    const before = (await adjustments()).length
    const correction = { call: id, credits: -0.000019 }
    expect(charge).toBe((input + 2 * output) / 1e6)
    expect(await admin().call('receipt', { id })).not.toHaveProperty('settled')
    expect(await settle(true)).toMatchObject({ dry_run: true, corrections: [{ ...correction, state: 'open' }] })
    expect(await adjustments()).toHaveLength(before)

    expect(await settle()).toMatchObject({ dry_run: false, corrections: [{ ...correction, state: 'made' }] })
    expect(await Promise.all([settle(), settle()])).toMatchObject([
      { corrections: [{ ...correction, state: 'before' }] },
      { corrections: [{ ...correction, state: 'before' }] },
    ])
    const made = await adjustments()
    expect(made).toHaveLength(before + 1)
    expect(made[0]).toMatchObject({ amount_credits: -0.000019, reason: expect.stringContaining(id) as string })
    expect(await settle(true)).toMatchObject({ corrections: [{ state: 'before' }] })
    const { charge_credits, settled } = await admin().call('receipt', { id })
    expect(charge_credits).toBe(charge)
    expect(settled).toMatchObject({ credits: -0.000019, charge_credits: (input + 5 + 2 * (output + 7)) / 1e6 })
    expect(settled?.reason).toContain(`${input + 5} + 0 + 0 + ${output + 7} tokens in place of ${input} + 0 + 0`)
    expect(await admin().call('verifyLedger', {})).toMatchObject({ ok: true })
  })

  it('gives back what was charged too much, and refuses a report that was revised since', async () => {
    await callAnswered({ type: 'answer', usage: null })
    const { input, output } = await latestCall()
    await write(3, 38 + input - 2, 20 + output)
    expect(await settle()).toMatchObject({ corrections: [{ credits: 0.000002, state: 'made' }] })
    await write(3, 38 + input - 3, 20 + output)
    expect(await settle()).toMatchObject({
      corrections: [{ state: 'refused', message: expect.stringContaining('was already used') as string }],
    })
    expect((await adjustments()).filter(({ reason }) => reason?.startsWith('Bill of') === true)).toHaveLength(1)
  })

  it('leaves alone what may be of somebody else, or of one of several calls', async () => {
    await callAnswered({ type: 'answer', usage: null })
    const { input, output } = await latestCall()
    await write(4, 38 + input + 5, 20 + output)
    expect(await settle()).toEqual({ dry_run: false, corrections: [] })
    await callAnswered({ type: 'answer', usage: null })
    await write(4, 38 + 2 * input + 5, 20 + 2 * output)
    expect(await settle()).toEqual({ dry_run: false, corrections: [] })
  })
})
