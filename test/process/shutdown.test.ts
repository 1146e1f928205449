// Ending Farebox while it serves: answers under way are finished or ended with an error, all of them are charged, and nothing
// is left behind.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { balanceOf, postChat } from '../support/chat.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { endProcesses, farebox, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

let upstream: Upstream
let dataDir: string

beforeEach(async () => {
  upstream = await startUpstream()
  dataDir = join(await temporaryFolder(), 'data')
})

afterEach(async () => {
  await endProcesses()
  await upstream.close()
})

type Started = { readonly program: FareboxProcess; readonly key: string }

/** A Farebox on the scripted provider, with a key of so many credits. */
async function started({ graceMs = 10_000, credits = 1000 } = {}): Promise<Started> {
  const program = await startProcess({ dataDir, env: { FAREBOX_SHUTDOWN_GRACE_MS: String(graceMs) } })
  await setUpUpstream(program, upstream.url, [{ name: 'plenty', type: 'topup', credits }])
  const { key } = await program.admin.call('createKey', { body: { name: 'mine', package: 'plenty' } })
  return { program, key }
}

/** What the next start on the folder finds. */
async function recordAfterwards(key: string) {
  const { url, admin } = await startProcess({ dataDir })
  const { usage } = await admin.call('usage', {})
  const report = await admin.call('verifyLedger', {})
  return { usage, report, balance: await balanceOf({ url, key }) }
}

/** Comes back once nobody new is served any more. */
async function untilClosed({ url }: FareboxProcess): Promise<void> {
  const isServing = () =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  await expect.poll(isServing).toBe(false)
}

/** Reads a stream from where it stands to its end. */
async function restOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for (let read = await reader.read(); !read.done; read = await reader.read()) parts.push(read.value)
  return Buffer.concat(parts).toString('utf8')
}

function readerOf(response: Response): ReadableStreamDefaultReader<Uint8Array> {
  if (response.body === null) throw new Error('an answer without a body')
  return response.body.getReader()
}

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  it('ends an idle Farebox with exit code 0, its lock free and its instance file gone', async () => {
    const { program } = await started()
    program.kill(signal)
    expect(await program.exited).toEqual({ code: 0, signal: null })
    expect(existsSync(join(dataDir, 'instance.json'))).toBe(false)
    expect(existsSync(join(dataDir, 'farebox.db-wal'))).toBe(false)
    expect(program.stderr()).toBe('')
    expect((await farebox(['status'], { dataDir })).stdout).toBe('stopped\n')
    await startProcess({ dataDir })
  })
})

describe('SIGTERM while a stream runs', () => {
  it('lets it finish, refuses new calls meanwhile, and charges it in full', async () => {
    upstream.script({ type: 'answer', pieces: ['one ', 'two ', 'three ', 'four'], delayMs: 150 })
    const { program, key } = await started()
    const reader = readerOf(await postChat({ url: program.url, key }, { stream: true }))
    await reader.read()
    program.kill('SIGTERM')
    await untilClosed(program)
    const rest = await restOf(reader)
    expect(rest).toContain('four')
    expect(rest.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(await program.exited).toEqual({ code: 0, signal: null })
    const { usage, report, balance } = await recordAfterwards(key)
    expect(usage[0]).toMatchObject({ outcome: 'answered', charge_credits: 0.000039, usage_source: 'reported' })
    expect(report).toMatchObject({ ok: true, open_holds: 0 })
    expect(balance).toMatchObject({ used_credits: 0.000039, held_credits: 0 })
  })

  it('ends it with an error event when the grace is over, never cleanly, and charges what came', async () => {
    upstream.script({
      type: 'answer',
      pieces: ['one ', 'two ', 'three'],
      stall: { at: { insideEvent: 2 }, ms: Infinity },
    })
    const { program, key } = await started({ graceMs: 200 })
    const reader = readerOf(await postChat({ url: program.url, key }, { stream: true }))
    await reader.read()
    program.kill('SIGTERM')
    const rest = await restOf(reader)
    expect(rest).toMatch(/data: \{"error":\{.*"type":"overloaded_error","code":503.*\}\}\n\n$/)
    expect(rest).not.toContain('[DONE]')
    expect(await program.exited).toEqual({ code: 0, signal: null })
    const { usage, report, balance } = await recordAfterwards(key)
    expect(usage[0]).toMatchObject({ outcome: 'cut', usage_source: 'estimated' })
    expect(usage[0]?.charge_credits).toBeGreaterThan(0)
    expect(report).toMatchObject({ ok: true, open_holds: 0 })
    expect(balance).toMatchObject({ used_credits: usage[0]?.charge_credits, held_credits: 0 })
  })

  it('sends a large answer to its last byte before it ends', async () => {
    const text = 'x'.repeat(16 * 1024 * 1024)
    upstream.script({ type: 'answer', text, headersAfterMs: 300 })
    const { program, key } = await started()
    const answering = postChat({ url: program.url, key })
    await expect.poll(() => upstream.requests.length).toBe(1)
    program.kill('SIGTERM')
    const answer = (await (await answering).json()) as { choices: { message: { content: string } }[] }
    expect(answer.choices[0]?.message.content.length).toBe(text.length)
    expect(await program.exited).toEqual({ code: 0, signal: null })
  })

  it('does not wait for ever for a call that waits for the credits of another', async () => {
    upstream.script({ type: 'answer', stall: { at: { insideEvent: 2 }, ms: Infinity } })
    const { program, key } = await started({ graceMs: 200, credits: 0.001 })
    const holding = readerOf(await postChat({ url: program.url, key }, { stream: true, max_tokens: 1000 }))
    await holding.read()
    const waiting = postChat({ url: program.url, key }, { stream: true }).then(
      ({ status }) => status,
      () => 'dropped',
    )
    await expect.poll(() => program.admin.call('status', {})).toMatchObject({ open_exchanges: 1, held_credits: 0.001 })
    program.kill('SIGTERM')
    await restOf(holding)
    expect(await program.exited).toEqual({ code: 0, signal: null })
    expect(await waiting).not.toBe(200)
    expect((await recordAfterwards(key)).report).toMatchObject({ ok: true, open_holds: 0 })
  })

  it('ends at once at the second signal, and the next start puts the books right', async () => {
    upstream.script({ type: 'answer', stall: { at: { insideEvent: 2 }, ms: Infinity } })
    const { program, key } = await started()
    const reader = readerOf(await postChat({ url: program.url, key }, { stream: true }))
    await reader.read()
    program.kill('SIGTERM')
    await untilClosed(program)
    program.kill('SIGTERM')
    expect(await program.exited).toEqual({ code: 1, signal: null })
    await expect(restOf(reader)).rejects.toThrow()
    const { usage, report, balance } = await recordAfterwards(key)
    expect(usage[0]).toMatchObject({ outcome: 'interrupted', charge_credits: 0 })
    expect(report).toMatchObject({ ok: true, open_holds: 0 })
    expect(balance).toMatchObject({ held_credits: 0 })
  })
})

describe('kill -9', () => {
  it('leaves a folder that says stopped, and on which the next start works', async () => {
    const { program } = await started()
    program.kill('SIGKILL')
    expect(await program.exited).toEqual({ code: null, signal: 'SIGKILL' })
    expect(existsSync(join(dataDir, 'instance.json'))).toBe(true)
    expect((await farebox(['status', '--json'], { dataDir })).stdout).toBe('{"state":"stopped"}\n')
    expect((await farebox(['key', 'list', '--json'], { dataDir })).code).toBe(0)
    const next = await startProcess({ dataDir })
    expect((await next.admin.call('status', {})).pid).toBe(next.pid)
  })
})
