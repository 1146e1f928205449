// More connections than file descriptors, from unauthenticated clients, and a process to which the system gives no descriptor at all. Whatever they do,
// the gateway lives, answers, and serves calls.

import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { Agent, get, request, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls, TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cases, isLong } from '../support/cases.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { PASSWORD } from '../support/password.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

/** Beyond the time that it takes when nothing happens. The long form needs a machine that does nothing else. */
const MAX_LATER_MS = isLong ? 250 : 10_000
const LAN_ADDRESS = '127.0.0.2'
const CHAT = JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hello' }], stream: true })

let upstream: Upstream
let program: FareboxProcess
let key: string
const open: Socket[] = []

beforeAll(async () => void (upstream = await startUpstream()))
afterAll(() => upstream.close())
beforeEach(() => upstream.forget())
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy()
  await endProcesses()
})

async function start(limit: number, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const dataDir = join(await temporaryFolder(), 'data')
  const command = ['sh', '-c', `ulimit -n ${limit}; exec "$@"`, 'sh']
  program = await startProcess({ dataDir, env, place: { command, root: '' } })
  await setUpUpstream(program, upstream.url)
  key = (await program.admin.call('createKey', { body: { name: 'honest', package: 'plenty' } })).key
  // What is loaded by the first call and the first look at the status is there.
  expect(await call()).toMatch(/\[DONE\]/)
  await program.admin.call('status', {})
}

const port = () => Number(new URL(program.url).port)
const descriptors = () => readdirSync(`/proc/${program.pid}/fd`).length

/** Asks on a connection of its own, unless there is an agent; with how long it took. */
function health(agent?: Agent): Promise<{ ms: number; body: Record<string, unknown> }> {
  const sinceMs = performance.now()
  return new Promise((resolve, reject) => {
    const asked = get(`${program.url}/health`, { agent: agent ?? false }, (response: IncomingMessage) => {
      text(response).then((body) => {
        resolve({ ms: performance.now() - sinceMs, body: JSON.parse(body) as Record<string, unknown> })
      }, reject)
    })
    asked.on('error', reject)
  })
}

function call(agent?: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const asked = request(`${program.url}/v1/chat/completions`, { method: 'POST', headers, agent: agent ?? false })
    asked.on('response', (response: IncomingMessage) => void text(response).then(resolve, reject))
    asked.on('error', reject)
    asked.end(CHAT)
  })
}

const median = (all: readonly number[]) => [...all].sort((one, other) => one - other)[all.length >> 1] ?? 0

async function healthMs(count: number): Promise<number[]> {
  const all: number[] = []
  for (let index = 0; index < count; index++) all.push((await health()).ms)
  return all
}

type Idler = (index: number) => Socket

/** The number of the client's address, so that they come from one or from many. */
const from = (isOne: boolean, index: number) => (isOne ? '127.0.0.1' : `127.1.${index % 7}.${1 + (index % 200)}`)
const silent =
  (isOne: boolean): Idler =>
  (index) =>
    connect({ host: '127.0.0.1', port: port(), localAddress: from(isOne, index) })

/** Opens so many connections and keeps them, whatever becomes of them. */
async function crowd(count: number, idler: Idler): Promise<void> {
  for (let index = 0; index < count; index++) {
    // Handshakes take this process as long as the gateway.
    const socket = idler(index)
    socket.on('error', () => undefined).resume()
    open.push(socket)
    if (index % 10 === 9) await sleep(socket instanceof TLSSocket ? 40 : 1)
  }
}

/** Honest clients meanwhile: new connections, calls on them, and one that is kept. */
async function expectServed(quietMs: number): Promise<void> {
  expect(median(await healthMs(9))).toBeLessThan(quietMs + MAX_LATER_MS)
  const answers = await Promise.all(Array.from({ length: 8 }, () => call()))
  for (const answer of answers) expect(answer).toMatch(/\[DONE\]/)
}

async function lan(): Promise<number> {
  await program.admin.call('addMember', { body: { name: 'ada', role: 'administrator', password: PASSWORD } })
  const { urls } = await program.admin.call('setLan', { body: { port: 0, address: LAN_ADDRESS } })
  return Number(new URL(urls[0] ?? '').port)
}

const attacks: Readonly<Record<string, (lanPort: number) => Idler>> = {
  'that say nothing, of one address': () => silent(true),
  'that say nothing, of many addresses': () => silent(false),
  'that are half closed': () => (index) =>
    silent(false)(index).once('connect', function (this: Socket) {
      this.end()
    }),
  'that begin a head': () => (index) => {
    const socket = silent(true)(index)
    socket.write('GET /health HTTP/1.1\r\nhost: ')
    return socket
  },
  'that were answered and are kept': () => (index) => {
    const socket = silent(true)(index)
    socket.write(`GET /health HTTP/1.1\r\nhost: 127.0.0.1:${port()}\r\n\r\n`)
    return socket
  },
  'over the LAN that never begin a handshake': (lanPort) => (index) =>
    connect({ host: LAN_ADDRESS, port: lanPort, localAddress: from(false, index) }),
  'over the LAN, of many addresses and of one here': (lanPort) => (index) =>
    index % 2 === 0
      ? connect({ host: LAN_ADDRESS, port: lanPort, localAddress: from(false, index) })
      : silent(true)(index),
  'over the LAN that do the handshake': (lanPort) => (index) =>
    connectTls({
      socket: connect({ host: LAN_ADDRESS, port: lanPort, localAddress: from(false, index) }),
      rejectUnauthorized: false,
    }),
}

describe.each([256, 1024])('with %i descriptors, and 80 connections more than that', (limit) => {
  const all = limit === 1024 ? cases(2, 8, 8) : 2
  const chosen = Object.entries(attacks).slice(-all)
  it.each(chosen)('%s', { timeout: 120_000 }, async (what, attack) => {
    await start(limit)
    const lanPort = what.includes('LAN') ? await lan() : 0
    const quietMs = median(await healthMs(9))
    upstream.script({ type: 'answer', text: 'word '.repeat(30), stall: { at: { afterEvent: 2 }, ms: 3000 } })
    const kept = new Agent({ keepAlive: true, maxSockets: 1 })
    const running = call(kept)
    running.catch(() => undefined)
    await expect.poll(() => upstream.requests.length).toBe(2)
    upstream.forget()
    upstream.script({ type: 'answer' })
    const crowding = crowd(limit + 80, attack(lanPort))
    await expectServed(quietMs)
    await crowding
    await sleep(1500)
    await expectServed(quietMs)
    expect(await running).toMatch(/\[DONE\]/)
    expect(descriptors()).toBeLessThan(limit - 40)
    for (const socket of open.splice(0)) socket.destroy()
    await expectServed(quietMs)
    kept.destroy()
    expect(program.stderr()).not.toMatch(/fault/)
    expect(await program.admin.call('verifyLedger', {})).toMatchObject({ ok: true, open_holds: 0 })
    expect(await program.stop()).toMatchObject({ code: 0 })
  })
})

it('says what a low limit leaves, and nothing of one that is enough', { timeout: 60_000 }, async () => {
  await start(1024)
  expect((await health()).body).toMatchObject({ status: 'ok', open_files_limit: 1024 })
  expect(await (await fetch(`${program.url}/ready`)).json()).toMatchObject({ status: 'ready', open_files_limit: 1024 })
  const { open_files: files } = await program.admin.call('status', {})
  expect(files).toMatchObject({ limit: 1024 })
  expect((files?.connections ?? 0) + (files?.calls ?? 0)).toBeLessThan(1024 - 200)
  await program.stop()
  await start(16_384)
  expect((await health()).body).not.toHaveProperty('open_files_limit')
  expect(await program.admin.call('status', {})).not.toHaveProperty('open_files')
})

it('runs no more calls than there are descriptors for, and says so to the others', { timeout: 60_000 }, async () => {
  await start(256)
  const { open_files: files } = await program.admin.call('status', {})
  const most = files?.calls ?? 0
  upstream.script({ type: 'answer', headersAfterMs: 2000 })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const one = `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:${port()}\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}content-length: ${CHAT.length}\r\n\r\n${CHAT}`
  // Several on each connection, since there are fewer connections than calls.
  const sockets = Array.from({ length: 20 }, () => silent(true)(0))
  open.push(...sockets)
  const answers = sockets.map((socket) => {
    let answer = ''
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
    socket.write(one.repeat(10))
    return () => answer
  })
  await expect.poll(async () => (await fetch(`${program.url}/ready`)).status).toBe(503)
  expect(descriptors()).toBeLessThan(256 - 20)
  const count = (pattern: RegExp) => answers.reduce((sum, answer) => sum + (answer().match(pattern)?.length ?? 0), 0)
  await expect.poll(() => count(/HTTP\/1\.1 (200|503)/g), { timeout: 30_000 }).toBe(200)
  expect(count(/HTTP\/1\.1 200/g)).toBe(most)
  expect(answers.map((answer) => answer()).join('')).toMatch(/as many as its limit of open files allows/)
  await expectServed(1000)
})

describe('where the system takes descriptors away', () => {
  const limitTo = (soft: number) => execFileSync('prlimit', ['--pid', String(program.pid), `--nofile=${soft}:`])

  it('closes what is idle, finishes what runs, and serves all again', { timeout: 90_000 }, async () => {
    await start(1024, { FAREBOX_BACKUP_DIR: await temporaryFolder(), FAREBOX_METRICS: 'true' })
    upstream.script({ type: 'answer', text: 'word '.repeat(30), stall: { at: { afterEvent: 2 }, ms: 6000 } })
    const running = call()
    running.catch(() => undefined)
    await expect.poll(() => upstream.requests.length).toBe(2)
    upstream.forget()
    await crowd(200, silent(false))
    await expect.poll(descriptors).toBeGreaterThan(200)
    for (let round = 0; round < 3; round++) {
      limitTo(descriptors() - 20)
      await expect.poll(() => call().catch(String), { timeout: 20_000 }).toMatch(/\[DONE\]/)
    }
    // Fewer than Farebox has itself: no file, no connection and no thread can be opened.
    limitTo(20)
    await sleep(3000)
    expect(await running).toMatch(/\[DONE\]/)
    limitTo(1024)
    await expect.poll(() => call().catch(String), { timeout: 20_000 }).toMatch(/\[DONE\]/)
    await program.admin.call('usageReport', { query: { from: '24h' } })
    expect(await program.admin.call('verifyLedger', {})).toMatchObject({ ok: true, open_holds: 0 })
    expect(program.stderr().match(/No file descriptor is left/g)).toHaveLength(1)
    expect(program.stderr()).not.toMatch(/fault/)
  })
})
