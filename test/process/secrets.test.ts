// Secrets in a real keychain as an administrator and a client meet them: a whole Farebox in its own process, a provider that
// writes down what it was sent, and a keychain that is locked, unlocked and taken away.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AdminError } from '#cli/client.ts'
import { scriptFile } from '#config/program-files.ts'
import { forkKeychain } from '#secret/keychain-child.ts'
import { openKeychain } from '#secret/keychain.ts'
import { postChat } from '../support/chat.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { startKeyring, type Keyring } from '../support/keyring.ts'
import { endProcesses, farebox, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const SECRET = 'sk-upstream-secret'
const LIMIT = { timeout: 60_000 }

let keyring: Keyring
let upstream: Upstream
let dataDir: string

beforeAll(async () => {
  keyring = await startKeyring()
}, 180_000)

afterAll(async () => {
  await keyring.close()
})

beforeEach(async () => {
  upstream = await startUpstream()
  dataDir = join(await temporaryFolder(), 'data')
})

afterEach(async () => {
  await endProcesses()
  await upstream.close()
  await keyring.unlock()
})

const inKeychain = () => ({ FAREBOX_SECRETS: 'keychain', ...keyring.env })
const noKeychain = () => ({ FAREBOX_SECRETS: 'keychain', DBUS_SESSION_BUS_ADDRESS: `unix:path=${dataDir}/no-bus` })
const start = (env = inKeychain()) => startProcess({ dataDir, env })

async function newKey({ admin }: FareboxProcess): Promise<string> {
  return (await admin.call('createKey', { body: { name: `key-${Date.now()}`, package: 'plenty' } })).key
}

async function chat({ url }: FareboxProcess, key: string) {
  const response = await postChat({ url, key }, { model: 'chat' })
  return { status: response.status, text: await response.text() }
}

const stateOf = async ({ admin }: FareboxProcess) =>
  (await admin.call('listProviders', {})).find(({ name }) => name === 'upstream')?.secret_state

/** Every file of the data folder that has the secret in it. */
async function filesWithSecret(): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.filter((candidate) => candidate.isFile())) {
    const path = join(entry.parentPath, entry.name)
    if ((await readFile(path)).includes(SECRET)) found.push(path)
  }
  return found
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.trim().split(/\s+/).filter(Boolean).map(Number)
}

/** A zombie that nobody has asked about yet counts as ended. */
async function stateOfProcess(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined)
  return text?.match(/^State:\s+(\S)/m)?.[1]
}

async function alive(pids: readonly number[]): Promise<number[]> {
  const states = await Promise.all(pids.map(stateOfProcess))
  return pids.filter((_, index) => ![undefined, 'Z', 'X'].includes(states[index]))
}

async function inKeyring(): Promise<number> {
  const keychain = openKeychain({
    dataDir,
    script: scriptFile('keychain-process'),
    start: forkKeychain(keyring.env),
    monotonicMs: () => performance.now(),
  })
  const { length } = await keychain.list()
  keychain.close()
  return length
}

describe('a gateway with a keychain', () => {
  it('relays with the secret from it, also after a restart, and writes the secret nowhere', LIMIT, async () => {
    const first = await start()
    await setUpUpstream(first, upstream.url)
    const key = await newKey(first)
    expect((await chat(first, key)).status).toBe(200)
    await first.stop()
    const second = await start()
    expect((await chat(second, key)).status).toBe(200)
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${SECRET}`,
      `Bearer ${SECRET}`,
    ])
    expect(await filesWithSecret()).toEqual([])
    expect(first.stderr() + second.stderr()).toBe('')
    expect(await second.stop()).toEqual({ code: 0, signal: null })
    expect(await filesWithSecret()).toEqual([])
  })

  it('says that a secret is locked, goes on when it is unlocked, and is not restarted for it', LIMIT, async () => {
    const before = await start()
    await setUpUpstream(before, upstream.url)
    const key = await newKey(before)
    await before.stop()
    await keyring.lock()
    const program = await start()
    const burst = await Promise.all(Array.from({ length: 20 }, () => chat(program, key)))
    expect(burst.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 502))
    expect(burst[0]?.text).toContain('is locked in the keychain. Unlock the keychain')
    expect(await stateOf(program)).toBe('locked')
    const { stdout } = await farebox(['status'], { dataDir, env: inKeychain() })
    expect(stdout).toContain("The secret of provider 'upstream' is locked.")
    expect(upstream.requests).toEqual([])
    await keyring.unlock()
    await expect.poll(async () => (await chat(program, key)).status).toBe(200)
    expect(await stateOf(program)).toBe('stored')
    expect((await program.admin.call('status', {})).attention).toEqual([])
  })

  it('goes on with a secret that it has when the keychain goes away', LIMIT, async () => {
    const program = await start()
    await setUpUpstream(program, upstream.url)
    const key = await newKey(program)
    expect((await chat(program, key)).status).toBe(200)
    keyring.kill()
    expect((await chat(program, key)).status).toBe(200)
    expect(await stateOf(program)).toBe('locked')
    await keyring.unlock()
    expect(await stateOf(program)).toBe('stored')
  })

  it('removes a provider while the keychain is locked, and its secret once it is not', LIMIT, async () => {
    const program = await start()
    await setUpUpstream(program, upstream.url)
    for (const id of ['chat', 'embed']) await program.admin.call('removeModel', { id })
    await keyring.lock()
    expect(await program.admin.call('removeProvider', { id: 'upstream' })).toEqual({ secret_forgotten: false })
    expect((await program.admin.call('status', {})).attention.join()).toContain('still kept')
    await program.stop()
    await keyring.unlock()
    expect(await inKeyring()).toBe(1)
    const again = await start()
    expect((await again.admin.call('status', {})).attention).toEqual([])
    expect(await inKeyring()).toBe(0)
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'ends by %s although the keychain hangs, and leaves no process behind',
    LIMIT,
    async (signal) => {
      const program = await start()
      await setUpUpstream(program, upstream.url)
      keyring.freeze()
      const listed = program.admin.call('listProviders', {}).catch(() => undefined)
      await expect.poll(() => childrenOf(program.pid)).toHaveLength(1)
      const children = await childrenOf(program.pid)
      await new Promise((resolve) => setTimeout(resolve, 500))
      program.kill(signal)
      expect(await program.exited).toEqual(
        signal === 'SIGTERM' ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' },
      )
      await expect.poll(() => alive(children)).toEqual([])
      await listed
      keyring.thaw()
    },
  )
})

describe('a gateway without a keychain', () => {
  it('starts with its demo, and refuses only to keep a secret, naming the choices', LIMIT, async () => {
    const program = await start(noKeychain())
    const key = program.firstKey ?? ''
    const demo = await postChat({ url: program.url, key }, { model: 'demo-chat' })
    expect(demo.status).toBe(200)
    await demo.text()
    const local = { name: 'local', dialect: 'chat-completions', base_url: upstream.url } as const
    expect(await program.admin.call('addProvider', { body: local })).toMatchObject({ secret_state: 'none' })
    const set = program.admin.call('setProviderSecret', { id: 'local', body: { secret: SECRET } })
    const error: unknown = await set.catch((reason: unknown) => reason)
    if (!(error instanceof AdminError)) throw error
    expect(error.status).toBe(503)
    for (const choice of ['FAREBOX_SECRETS=vault', 'FAREBOX_VAULT_KEY_FILE', 'systemd']) {
      expect(error.message).toContain(choice)
    }
    const add = program.admin.call('addProvider', { body: { ...local, name: 'other', secret: SECRET } })
    await expect(add).rejects.toThrow('No keychain answers')
    expect((await program.admin.call('status', {})).attention).toEqual([])
    expect((await program.admin.call('listProviders', {})).map(({ has_secret }) => has_secret)).toEqual([false, false])
    expect(await filesWithSecret()).toEqual([])
  })
})

describe('secrets from before in the other place', () => {
  it('are announced at the start, missing until they are moved, and gone from there then', LIMIT, async () => {
    const before = await start({ ...inKeychain(), FAREBOX_SECRETS: 'vault' })
    await setUpUpstream(before, upstream.url)
    const key = await newKey(before)
    await before.stop()
    const program = await start()
    expect(program.stderr()).toContain("'farebox secret move' brings them over")
    expect(await stateOf(program)).toBe('missing')
    expect((await chat(program, key)).status).toBe(502)
    const moved = await farebox(['secret', 'move', '--json'], { dataDir, env: inKeychain() })
    expect(JSON.parse(moved.stdout)).toEqual({ moved: ['upstream'], missing: [] })
    await expect.poll(async () => (await chat(program, key)).status).toBe(200)
    expect(JSON.parse(await readFile(join(dataDir, 'secrets.enc'), 'utf8'))).toMatchObject({ secrets: [] })
    expect(await inKeyring()).toBe(1)
    await program.stop()
    expect((await start()).stderr()).toBe('')
  })
})
