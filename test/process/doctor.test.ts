// `farebox doctor` as people run it: on a machine on which nothing is wrong, and on real ports, folders, keys and providers that are.

import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { doneHere } from '../support/commands.ts'
import { endProcesses, farebox, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { startUpstream } from '../support/upstream.ts'

type Answer = {
  readonly ok: boolean
  readonly problems: readonly { id: string; tool: string | null; message: string; fix: string }[]
  readonly fixed?: readonly string[]
}

let folder: string
let dataDir: string
let gateway: FareboxProcess
let other: Server | undefined

afterEach(async () => {
  await endProcesses()
  await new Promise((resolve) => (other === undefined ? resolve(undefined) : other.close(resolve)))
  other = undefined
})

function run(...args: readonly string[]) {
  return farebox(args, { dataDir })
}

/** What is done on the way. */
function done(...args: readonly string[]) {
  return doneHere(args, { homeDir: folder, dataDir })
}

async function doctor(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const { code, stdout, stderr } = await farebox(['doctor', '--json', ...args], { dataDir, env })
  expect(stderr).toBe('')
  const answer = JSON.parse(stdout) as Answer
  expect(code).toBe(answer.ok ? 0 : 1)
  expect(answer.ok).toBe(answer.problems.length === 0)
  for (const tool of ['claude-code', 'gemini-cli']) {
    expect(stdout).not.toContain(readFileSync(join(dataDir, 'connections', tool, 'key'), 'utf8'))
  }
  return answer
}

function ids({ problems }: Answer): string[] {
  return problems.map(({ id, tool }) => (tool === null ? id : `${id} ${tool}`))
}

const OTHER_NODE = `const { dlopen } = process
process.dlopen = function (module, file, ...rest) {
  if (!file.includes('better-sqlite3')) return dlopen.call(this, module, file, ...rest)
  throw Object.assign(new Error('compiled against a different Node.js version'), { code: 'ERR_DLOPEN_FAILED' })
}
`

describe('the doctor', () => {
  beforeEach(async () => {
    folder = await temporaryFolder()
    dataDir = join(folder, 'data')
    gateway = await startProcess({ dataDir })
    await done('demo')
    await done('connect', 'claude-code')
    await done('connect', 'gemini-cli')
  })

  it('finds nothing on a healthy machine, and each thing that goes wrong with the gateway that runs', async () => {
    expect(await doctor()).toEqual({ ok: true, problems: [] })
    expect((await run('doctor')).stdout).toBe('Nothing is wrong.\n')
    expect(await doctor(['--fix'])).toEqual({ ok: true, problems: [], fixed: [] })
    expect(ids(await doctor([], { HTTP_PROXY: 'http://127.0.0.1:1' }))).toEqual(['proxy'])
    expect(ids(await doctor(['codex']))).toEqual(['not_installed codex', 'not_connected codex'])

    const { admin } = gateway
    await admin.call('suspendKey', { id: 'claude-code' })
    await admin.call('rotateKey', { id: 'gemini-cli', body: {} })
    await admin.call('disableModel', { id: 'demo-chat' })
    expect(ids(await doctor())).toEqual([
      'no_model',
      'key_suspended claude-code',
      'model_missing claude-code',
      'key_not_brought gemini-cli',
      'model_missing gemini-cli',
    ])
    await admin.call('enableModel', { id: 'demo-chat' })
    await admin.call('resumeKey', { id: 'claude-code' })
    await done('connect', 'gemini-cli')
    expect(await doctor()).toEqual({ ok: true, problems: [] })

    chmodSync(dataDir, 0o777)
    expect(ids(await doctor())).toEqual(['data_folder'])
    chmodSync(dataDir, 0o700)

    const preload = join(folder, 'other-node.cjs')
    writeFileSync(preload, OTHER_NODE)
    expect(ids(await doctor([], { NODE_OPTIONS: `--require ${preload}` }))).toEqual(['native_module'])
    expect((await run('doctor', 'nothing')).stderr).toContain('connect --list')
  })

  it('says first that the gateway is stopped and who has its port, and repairs the address once it has another', async () => {
    const settings = join(folder, '.claude', 'settings.json')
    const before = readFileSync(settings, 'utf8')
    const port = Number(new URL(gateway.url).port)
    await gateway.stop()
    other = createServer()
    await new Promise<void>((resolve) => other?.listen(0, '127.0.0.1', resolve))
    const taken = (other.address() as AddressInfo).port
    const stopped = await doctor([], { FAREBOX_PORT: String(taken) })
    expect(ids(stopped)).toEqual([
      'gateway_stopped',
      'port_taken',
      'wrong_address claude-code',
      'wrong_address gemini-cli',
    ])
    expect(stopped.problems[1]?.message).toContain(String(taken))

    gateway = await startProcess({ dataDir })
    expect(Number(new URL(gateway.url).port)).not.toBe(port)
    expect(ids(await doctor())).toEqual(['wrong_address claude-code', 'wrong_address gemini-cli'])
    const repaired = await doctor(['--fix'])
    expect(repaired).toMatchObject({ ok: true, problems: [] })
    expect(repaired.fixed).toHaveLength(2)
    expect(readFileSync(settings, 'utf8')).toBe(before.replaceAll(`:${port}`, `:${new URL(gateway.url).port}`))
    await done('disconnect', '--all')
    expect(() => readFileSync(settings)).toThrow('ENOENT')
  })

  it('takes back a connection that was interrupted', async () => {
    const journal = join(dataDir, 'connections', 'gemini-cli', 'journal.json')
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"connected"', '"connecting"'))
    expect(ids(await doctor())).toEqual(['half_done gemini-cli'])
    const { stdout, code } = await run('doctor', '--fix')
    expect(stdout).toContain('Took back')
    expect(stdout).toContain('Nothing is wrong.')
    expect(code).toBe(0)
    expect(() => readFileSync(join(folder, '.gemini', '.env'))).toThrow('ENOENT')
  })

  it('finds a provider that refuses our secret, and secrets that cannot be opened any more', async () => {
    const upstream = await startUpstream()
    try {
      upstream.script({ type: 'status', status: 401 })
      const { admin } = gateway
      const targets = [{ provider: 'upstream', model: 'real-chat' }]
      const place = { dialect: 'chat-completions', base_url: upstream.url, secret: 'sk-of-the-provider' } as const
      await admin.call('addProvider', { body: { name: 'upstream', ...place } })
      const sizes = { context_window: 1000, max_output_tokens: 100, price: { input: 1, output: 1 } }
      await admin.call('addModel', { body: { id: 'real', targets, ...sizes } })
      expect(await doctor()).toEqual({ ok: true, problems: [] })
      const key = readFileSync(join(dataDir, 'connections', 'claude-code', 'key'), 'utf8')
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'real', messages: [{ role: 'user', content: 'hi' }] }),
      })
      await answer.text()
      const refused = await doctor()
      expect(ids(refused)).toEqual(['provider_refused'])
      expect(refused.problems[0]?.message).toContain("'upstream'")

      await gateway.stop()
      rmSync(join(dataDir, 'vault.key'))
      const port = Number(new URL(gateway.url).port)
      gateway = await startProcess({ dataDir, port })
      const locked = await doctor()
      expect(ids(locked)).toEqual(['secrets'])
      expect(locked.problems[0]?.message).toContain("'upstream'")
      expect(JSON.stringify([refused, locked])).not.toContain('sk-of-the-provider')
    } finally {
      await upstream.close()
    }
  })
})

it('makes nothing where nothing has ever been', async () => {
  const empty = join(await temporaryFolder(), 'data')
  const { stdout, code } = await farebox(['doctor', '--json'], { dataDir: empty })
  expect(code).toBe(1)
  expect((JSON.parse(stdout) as Answer).problems.map(({ id }) => id)).toEqual(['gateway_stopped'])
  expect(() => readFileSync(join(empty, 'farebox.db'))).toThrow('ENOENT')
})
