// Two gateways behind the proxy whose configuration comes with Farebox: calls go on while one of them is killed, comes back, or ends as it should,
// and each answer is charged once.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needs, programOf } from '../requirements.ts'
import { chatModel } from '../support/farebox.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { freePort } from '../support/small-servers.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { BODY, DEAREST, HOLD, STREAMED, WAIT, type Key } from './gateways.ts'
import { expectSoundFleet } from './support.ts'

const SHIPPED = join(import.meta.dirname, '..', '..', 'resources', 'container', 'haproxy.cfg')
const CALLERS = 6
const CREDITS = 1000

let postgres: Postgres
let upstream: Upstream
let folder: string
let [first, second]: FareboxProcess[] = []
let proxy: ChildProcess
let url: string
let key: Key

const hostOf = (gateway: FareboxProcess) => new URL(gateway.url).host
const begin = (name: string, port?: number): Promise<FareboxProcess> =>
  startProcess({
    dataDir: join(folder, name, 'data'),
    env: { FAREBOX_DATABASE_URL: postgres.url, FAREBOX_SHUTDOWN_NOTICE_MS: '5000', FAREBOX_SHUTDOWN_GRACE_MS: '20000' },
    ...(port === undefined ? {} : { port }),
  })

/** The shipped configuration with other addresses. */
async function startProxy(gateways: readonly FareboxProcess[]): Promise<void> {
  const port = await freePort()
  const [one = '', other = ''] = gateways.map(hostOf)
  const config = readFileSync(SHIPPED, 'utf8')
    .replaceAll('127.0.0.1:3273', one)
    .replaceAll('127.0.0.1:3274', other)
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, config)
  proxy = spawn(programOf('haproxy'), ['-db', '-f', file], { stdio: 'ignore' })
  url = `http://127.0.0.1:${port}`
}

/** undefined where there was no answer, or none to its end. */
async function statusOf(path: string, init: RequestInit = {}): Promise<number | undefined> {
  try {
    const response = await fetch(url + path, init)
    const text = await response.text()
    const isWhole = !response.ok || /(\}|\[DONE\]|ok)\s*$/.test(text)
    return isWhole ? response.status : undefined
  } catch {
    return undefined
  }
}

function call(body: string, path = '/v1/chat/completions'): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' }
  return statusOf(path, { method: 'POST', headers, body })
}

/** What calls came to that were made all the time while something happened, streams among them. */
async function callsDuring(happens: () => Promise<void>): Promise<(number | undefined)[]> {
  const statuses: (number | undefined)[] = []
  let isOver = false
  const callers = Array.from({ length: CALLERS }, async (_, index) => {
    while (!isOver) statuses.push(await call(index % 2 === 0 ? BODY : STREAMED))
  })
  await happens().finally(() => (isOver = true))
  await Promise.all(callers)
  return statuses
}

async function expectCharged(answered: number, inDoubt: number): Promise<void> {
  const used = async () => {
    const [account] = await postgres.query(`SELECT used FROM farebox.account WHERE key_id = '${key.id}'`)
    return Number(account?.used) / HOLD
  }
  await expect.poll(used, WAIT).toBeGreaterThanOrEqual(answered)
  expect(await used()).toBeLessThanOrEqual(answered + inDoubt)
  await expectSoundFleet(postgres)
}

const answeredOf = (statuses: readonly unknown[]) => statuses.filter((status) => status === 200).length
let answered = 0
let inDoubt = 0

describe('two gateways behind the proxy', needs('haproxy'), () => {
  beforeAll(async () => {
    ;[postgres, upstream, folder] = await Promise.all([startPostgres(), startUpstream(), temporaryFolder()])
    upstream.script(DEAREST)
    first = await begin('first')
    const providers = [{ name: 'upstream', dialect: 'chat-completions' as const, base_url: upstream.url }]
    await first.admin.call('apply', { body: { document: { providers, models: [chatModel('chat')] } } })
    await first.admin.call('addPackage', { body: { name: 'much', type: 'topup', credits: CREDITS } })
    key = await first.admin.call('createKey', { body: { name: 'much', package: 'much' } })
    second = await begin('second')
    await startProxy([first, second])
  })
  afterAll(async () => {
    proxy.kill()
    await once(proxy, 'exit')
    await endProcesses()
    await upstream.close()
    await postgres.close()
  })

  it('are reached by calls, however their address was typed, and by nothing else', async () => {
    await expect.poll(() => statusOf('/ready'), WAIT).toBe(200)
    for (const path of [
      '/v1/chat/completions',
      '//v1/chat/completions',
      '/chat/completions',
      '/v1/chat/completions/',
    ]) {
      expect([path, await call(BODY, path)]).toEqual([path, 200])
      answered += 1
    }
    for (const path of ['/api/keys', '//api/keys', '/app', '/metrics', '/docs/openapi.json', '/v1/../api/keys']) {
      expect([path, await statusOf(path)]).toEqual([path, 404])
    }
    await expectCharged(answered, 0)
  })

  it('are missed by the calls alone that a killed one had, until it is back', async () => {
    const [port, killed] = [Number(new URL(first?.url ?? '').port), first]
    const statuses = await callsDuring(async () => {
      await pause(500)
      killed?.kill('SIGKILL')
      await killed?.exited
      await pause(1500)
      first = await begin('first', port)
      await pause(1500)
    })
    const lost = statuses.filter((status) => status !== 200)
    expect(lost.length).toBeLessThanOrEqual(CALLERS)
    expect(lost.filter((status) => status !== undefined && status !== 502)).toEqual([])
    expect(statuses.length).toBeGreaterThan(10 * CALLERS)
    answered += answeredOf(statuses)
    inDoubt += lost.length
    await expectCharged(answered, inDoubt)
  })

  it('lose no call when one ends as it should', async () => {
    const statuses = await callsDuring(async () => {
      await pause(500)
      expect(await second?.stop()).toEqual({ code: 0, signal: null })
      await pause(500)
    })
    expect(statuses.filter((status) => status !== 200)).toEqual([])
    answered += answeredOf(statuses)
    await expectCharged(answered, inDoubt)
  })
})

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
