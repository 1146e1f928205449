// The keychain against a real Secret Service, through the real library in its own process.

import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { scriptFile } from '#config/program-files.ts'
import { SecretFailure } from '#core/secret-failure.ts'
import { forkKeychain } from '#secret/keychain-child.ts'
import { openKeychain, type Keychain } from '#secret/keychain.ts'
import { KEYCHAIN_NAME, startKeychainUtility } from '#shell/keychain-child.ts'
import { resetElectron, world } from '../support/electron-double.ts'
import { startKeyring, type Keyring } from '../support/keyring.ts'

vi.mock('electron', () => import('../support/electron-double.ts'))

const SCRIPT = scriptFile('keychain-process')
const OPENAI = { providerId: 'p1', origin: 'https://api.openai.com' }
const LOCAL = { providerId: 'p2', origin: 'http://127.0.0.1:11434' }
const SECRET = 'sk-canary-5b1f0c6e-ünïcode'

let keyring: Keyring
let folder: string
let dataDir: string
const opened: Keychain[] = []

beforeAll(async () => {
  keyring = await startKeyring()
}, 180_000)

afterAll(async () => {
  await keyring.close()
})

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-keychain-'))
  dataDir = await mkdtemp(join(folder, 'data-'))
})

afterEach(async () => {
  for (const keychain of opened.splice(0)) keychain.close()
  await keyring.unlock()
  await rm(folder, { recursive: true, force: true })
})

function open(place: { dataDir?: string; env?: Readonly<Record<string, string>> } = {}): Keychain {
  const keychain = openKeychain({
    dataDir: place.dataDir ?? dataDir,
    script: SCRIPT,
    start: forkKeychain(place.env ?? keyring.env),
    monotonicMs: () => performance.now(),
  })
  opened.push(keychain)
  return keychain
}

/** What is the matter, for a call that must fail with a SecretFailure. */
async function trouble(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => new Error('this should have failed'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof SecretFailure)) throw error
  expect(`${error.message} ${error.stack}`).not.toContain(SECRET)
  return error.trouble
}

/** An environment in which nobody answers for secrets. */
const withoutBus = () => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  XDG_RUNTIME_DIR: folder,
  DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/no-bus`,
})

describe('secrets in the keychain', () => {
  it('are kept, replaced, listed without their text, and forgotten, also by another process', async () => {
    const keychain = open()
    await keychain.set(OPENAI, 'first')
    await keychain.set(OPENAI, SECRET)
    await keychain.set(LOCAL, 'other')
    for (const reader of [keychain, open()]) {
      expect(await reader.get(OPENAI)).toBe(SECRET)
      expect(await reader.get(LOCAL)).toBe('other')
      expect(await reader.list()).toEqual(expect.arrayContaining([OPENAI, LOCAL]))
      expect(await reader.list()).toHaveLength(2)
    }
    await keychain.delete(OPENAI)
    await keychain.delete(OPENAI)
    expect(await keychain.get(OPENAI)).toBeUndefined()
    expect(await keychain.list()).toEqual([LOCAL])
  })

  it.each([
    ['of ten thousand characters', 'x'.repeat(10_000)],
    ['with every kind of character', 'ключ 鍵 🔑 \u0301 "\\\n\t\u0007'],
    ['that looks like nothing', ' '],
  ])('%s come back as they were', async (_, secret) => {
    const keychain = open()
    await keychain.set(OPENAI, secret)
    expect(await keychain.get(OPENAI)).toBe(secret)
  })

  it('are for one provider at one origin', async () => {
    const keychain = open()
    await keychain.set(OPENAI, SECRET)
    for (const elsewhere of [
      { ...OPENAI, origin: 'http://api.openai.com' },
      { ...OPENAI, origin: 'https://api.openai.com:8443' },
      { ...OPENAI, origin: 'https://api.openai.com.evil.example' },
      { ...OPENAI, providerId: 'p' },
    ]) {
      expect(await keychain.get(elsewhere)).toBeUndefined()
      await keychain.delete(elsewhere)
    }
    expect(await keychain.get(OPENAI)).toBe(SECRET)
  })

  it('leave no trace of themselves in the data folder', async () => {
    await open().set(OPENAI, SECRET)
    expect(await readFile(join(dataDir, 'keychain.json'), 'utf8')).not.toContain(SECRET)
  })

  it('are asked for by nobody, and start nothing, before one was kept', async () => {
    const keychain = open({ env: withoutBus() })
    expect(await keychain.get(OPENAI)).toBeUndefined()
    expect(await keychain.list()).toEqual([])
    await keychain.delete(OPENAI)
  })
})

describe('two data folders', () => {
  it('do not share secrets', async () => {
    const other = await mkdtemp(join(folder, 'other-'))
    await open().set(OPENAI, SECRET)
    await open({ dataDir: other }).set(OPENAI, 'of the other')
    await open({ dataDir: other }).delete(OPENAI)
    expect(await open({ dataDir: other }).list()).toEqual([])
    expect(await open().get(OPENAI)).toBe(SECRET)
  })

  it('do not share secrets when one is a copy of the other', async () => {
    await open().set(OPENAI, SECRET)
    const copy = join(folder, 'copy')
    await cp(dataDir, copy, { recursive: true })
    expect(await open({ dataDir: copy }).get(OPENAI)).toBeUndefined()
    await open({ dataDir: copy }).set(OPENAI, 'of the copy')
    expect(await open().get(OPENAI)).toBe(SECRET)
    expect(await open({ dataDir: copy }).get(OPENAI)).toBe('of the copy')
  })

  it('are one when the folder was only moved', async () => {
    await open().set(OPENAI, SECRET)
    const moved = join(folder, 'moved')
    await rename(dataDir, moved)
    expect(await open({ dataDir: moved }).get(OPENAI)).toBe(SECRET)
    await cp(moved, dataDir, { recursive: true })
    expect(await open().get(OPENAI)).toBeUndefined()
  })

  it.each(['', 'null', '{}', '{"id":"../x","folder":"/"}', '{"id":1}'])(
    'say so when the note that tells them apart is damaged: %j',
    async (text) => {
      await open().set(OPENAI, SECRET)
      await writeFile(join(dataDir, 'keychain.json'), text)
      expect(await trouble(open().get(OPENAI))).toBe('files')
      expect(await trouble(open().set(OPENAI, 'new'))).toBe('files')
    },
  )
})

describe('a locked keychain', () => {
  it('is a state that clears when it is unlocked, and loses nothing', async () => {
    const keychain = open()
    await keychain.set(OPENAI, SECRET)
    await keyring.lock()
    expect(await trouble(keychain.get(OPENAI))).toBe('locked')
    expect(await trouble(keychain.list())).toBe('locked')
    expect(await trouble(keychain.set(OPENAI, 'new'))).toBe('locked')
    expect(await trouble(keychain.delete(OPENAI))).toBe('locked')
    await keyring.unlock()
    expect(await keychain.get(OPENAI)).toBe(SECRET)
    await keychain.set(OPENAI, 'new')
    expect(await keychain.get(OPENAI)).toBe('new')
  })

  it('is also said to be locked when nothing of ours is in it yet', async () => {
    await keyring.lock()
    expect(await trouble(open().set(OPENAI, SECRET))).toBe('locked')
  })
})

describe('a keychain that vanishes', () => {
  it('is locked after its daemon was killed, and back when that is unlocked again', async () => {
    const keychain = open()
    await keychain.set(OPENAI, SECRET)
    keyring.kill()
    expect(await trouble(keychain.get(OPENAI))).toMatch(/locked|unreachable/)
    await keyring.unlock()
    expect(await keychain.get(OPENAI)).toBe(SECRET)
  })

  it('is given up after some seconds when it does not answer, without blocking anybody, and is back when it does', async () => {
    const keychain = open()
    await keychain.set(OPENAI, SECRET)
    keyring.freeze()
    let longestMs = 0
    let lastMs = performance.now()
    const watch = setInterval(() => {
      const nowMs = performance.now()
      longestMs = Math.max(longestMs, nowMs - lastMs)
      lastMs = nowMs
    }, 5)
    const startedMs = performance.now()
    const calls = [keychain.get(OPENAI), keychain.list(), keychain.delete(LOCAL)]
    expect(await Promise.all(calls.map(trouble))).toEqual(['unreachable', 'unreachable', 'unreachable'])
    clearInterval(watch)
    expect(performance.now() - startedMs).toBeLessThan(8_000)
    expect(longestMs).toBeLessThan(1_000)
    keyring.thaw()
    // A daemon that finds its callers gone may end; it is not what is tried here.
    await keyring.unlock()
    expect(await keychain.get(OPENAI)).toBe(SECRET)
  })

  it('is never replaced by another place: where there is none, nothing is kept', async () => {
    const keychain = open({ env: withoutBus() })
    expect(await trouble(keychain.set(OPENAI, SECRET))).toBe('unreachable')
    expect(await trouble(keychain.get(OPENAI))).toBe('unreachable')
    expect(await trouble(keychain.list())).toBe('unreachable')
    expect(await trouble(keychain.delete(OPENAI))).toBe('unreachable')
    const { id } = JSON.parse(await readFile(join(dataDir, 'keychain.json'), 'utf8')) as { readonly id: string }
    // The library's own way out on Linux: the keyring of the kernel, which forgets at the next start of the machine.
    expect(await readFile('/proc/keys', 'utf8').catch(() => '')).not.toContain(id)
  })

  it('names the choices where there is none', async () => {
    const message = await open({ env: withoutBus() })
      .set(OPENAI, SECRET)
      .catch((error: unknown) => String(error))
    for (const choice of ['FAREBOX_SECRETS=vault', 'FAREBOX_VAULT_KEY_FILE', 'systemd'])
      expect(message).toContain(choice)
  })
})

describe('the process that asks the keychain', () => {
  it('is started again after it was ended', async () => {
    const keychain = open()
    await keychain.set(OPENAI, SECRET)
    keychain.close()
    expect(await keychain.get(OPENAI)).toBe(SECRET)
  })

  it('fails what waits for it when it is ended', async () => {
    const keychain = open()
    await keychain.set(OPENAI, SECRET)
    const waiting = keychain.get(OPENAI)
    // Long enough to be asked, not long enough to be answered by a process that is being started.
    await new Promise((resolve) => setTimeout(resolve, 1))
    keychain.close()
    const outcome = await waiting.catch((error: unknown) => error)
    expect(outcome === SECRET || outcome instanceof SecretFailure).toBe(true)
  })
})

describe('the keychain in a utility process of Electron', () => {
  const openThere = (env: NodeJS.ProcessEnv = { ...process.env, ...keyring.env }, idleMs = 10_000): Keychain => {
    resetElectron({ utilityEnv: env })
    world.ready()
    const keychain = openKeychain({
      dataDir,
      script: SCRIPT,
      start: startKeychainUtility,
      idleMs,
      monotonicMs: () => performance.now(),
    })
    opened.push(keychain)
    return keychain
  }

  it('keeps the same secrets as one that Node started', async () => {
    await openThere().set(OPENAI, SECRET)
    expect(await open().get(OPENAI)).toBe(SECRET)
    await open().set(LOCAL, 'other')
    const keychain = openThere()
    expect(await keychain.get(LOCAL)).toBe('other')
    await keychain.delete(LOCAL)
    expect(await keychain.list()).toEqual([OPENAI])
    expect(world.utilities.map(({ options }) => options)).toEqual([{ serviceName: KEYCHAIN_NAME, stdio: 'ignore' }])
  })

  it('ends without work, and is started anew by the next call', async () => {
    const keychain = openThere(undefined, 50)
    await keychain.set(OPENAI, SECRET)
    await expect.poll(() => world.utilities[0]?.pid).toBeUndefined()
    expect(await keychain.get(OPENAI)).toBe(SECRET)
    expect(world.utilities).toHaveLength(2)
  })

  it('says that nobody keeps secrets here, and that its process is gone', async () => {
    const keychain = openThere({ ...process.env, ...withoutBus() })
    expect(await trouble(keychain.set(OPENAI, SECRET))).toBe('unreachable')
    await keyring.lock()
    const locked = openThere()
    const waiting = trouble(locked.set(OPENAI, SECRET))
    await expect.poll(() => world.utilities[0]?.pid).toBeDefined()
    world.utilities[0]?.kill()
    expect(await waiting).toBe('unreachable')
  })
})
