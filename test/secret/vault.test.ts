import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { VaultError } from '#secret/vault-error.ts'
import { openVault } from '#secret/vault.ts'

const run = promisify(execFile)
const OPENAI = { providerId: 'p1', origin: 'https://api.openai.com' }
const LOCAL = { providerId: 'p2', origin: 'http://127.0.0.1:11434' }
const SECRET = 'sk-canary-5b1f0c6e-ünïcode'

let folder: string
let dataDir: string
let vaultPath: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-vault-'))
  dataDir = join(folder, 'data')
  vaultPath = join(dataDir, 'secrets.enc')
  await mkdir(dataDir, { mode: 0o755 })
})

afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

const open = (keyFile?: string) => openVault({ dataDir, keyFile })

async function vaultWithSecret() {
  const vault = open()
  await vault.set(OPENAI, SECRET)
  return vault
}

/** The error of a call that must fail, which must be a VaultError. */
async function failure(call: Promise<unknown>): Promise<VaultError> {
  const error: unknown = await call.then(
    () => new Error('expected a VaultError'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof VaultError)) throw error
  return error
}

async function makeKeyFile(options: { bytes?: number; mode?: number } = {}): Promise<string> {
  const path = join(folder, 'own.key')
  await writeFile(path, randomBytes(options.bytes ?? 32))
  await chmod(path, options.mode ?? 0o400)
  return path
}

describe('keeping secrets', () => {
  it('gives back what was set, also after it is opened again', async () => {
    const vault = await vaultWithSecret()
    await vault.set(LOCAL, 'other')
    for (const reader of [vault, open()]) {
      expect(await reader.get(OPENAI)).toBe(SECRET)
      expect(await reader.get(LOCAL)).toBe('other')
      expect(await reader.list()).toEqual([OPENAI, LOCAL])
    }
  })

  it('finds nothing for another origin or another provider', async () => {
    const vault = await vaultWithSecret()
    for (const origin of [
      'https://api.openai.com:8443',
      'http://api.openai.com',
      'https://api.openai.com.evil.example',
    ]) {
      expect(await vault.get({ ...OPENAI, origin })).toBeUndefined()
    }
    expect(await vault.get({ ...OPENAI, providerId: 'p2' })).toBeUndefined()
  })

  it('keeps several secrets of one provider apart by their labels, beside the one without', async () => {
    const vault = await vaultWithSecret()
    await vault.set({ ...OPENAI, label: 'second' }, 'another')
    await vault.set({ ...OPENAI, label: 'third' }, 'one more')
    await vault.delete({ ...OPENAI, label: 'third' })
    const again = open()
    expect(await again.get(OPENAI)).toBe(SECRET)
    expect(await again.get({ ...OPENAI, label: 'second' })).toBe('another')
    expect(await again.get({ ...OPENAI, label: 'third' })).toBeUndefined()
    expect(await again.list()).toEqual([OPENAI, { ...OPENAI, label: 'second' }])
  })

  it('opens no entry under another label', async () => {
    const vault = await vaultWithSecret()
    await vault.set({ ...OPENAI, label: 'second' }, 'another')
    const text = await readFile(vaultPath, 'utf8')
    await writeFile(vaultPath, text.replace('"label": "second"', '"label": "third"'))
    expect((await failure(open().get({ ...OPENAI, label: 'third' }))).trouble).toBeDefined()
  })

  it('replaces a secret that is set again', async () => {
    const vault = await vaultWithSecret()
    await vault.set(OPENAI, 'newer')
    expect(await open().get(OPENAI)).toBe('newer')
    expect(await vault.list()).toEqual([OPENAI])
  })

  it('forgets a deleted secret, and is content when there was none', async () => {
    const vault = await vaultWithSecret()
    await vault.delete(LOCAL)
    await vault.delete(OPENAI)
    expect(await open().get(OPENAI)).toBeUndefined()
    expect(await open().list()).toEqual([])
  })

  it('keeps every secret of many that are set at once', async () => {
    const vault = open()
    const references = Array.from({ length: 20 }, (_, index) => ({ ...OPENAI, providerId: `p${index}` }))
    await Promise.all(references.map((reference) => vault.set(reference, `secret of ${reference.providerId}`)))
    expect(await open().list()).toEqual(references)
    expect(await open().get({ ...OPENAI, providerId: 'p7' })).toBe('secret of p7')
  })

  it('goes on after a refused change', async () => {
    const vault = open()
    const refused = vault.set(OPENAI, 'x'.repeat(2_000_000))
    const accepted = vault.set(LOCAL, 'small')
    expect((await failure(refused)).reason).toBe('full')
    await accepted
    expect(await open().list()).toEqual([LOCAL])
  })
})

describe('what is on disk', () => {
  it('is nothing until a secret is set', async () => {
    const vault = open()
    expect(await vault.get(OPENAI)).toBeUndefined()
    expect(await vault.list()).toEqual([])
    await vault.delete(OPENAI)
    expect(await readdir(dataDir)).toEqual([])
  })

  it('is readable by its owner only, whatever the folder allows', async () => {
    await vaultWithSecret()
    expect((await readdir(dataDir)).toSorted()).toEqual(['secrets.enc', 'vault.key'])
    expect((await stat(vaultPath)).mode & 0o777).toBe(0o600)
    expect((await stat(join(dataDir, 'vault.key'))).mode & 0o777).toBe(0o600)
  })

  it('makes a missing data folder private', async () => {
    await rm(dataDir, { recursive: true })
    await vaultWithSecret()
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
  })

  it('holds no secret in any spelling', async () => {
    await vaultWithSecret()
    const plain = Buffer.from(SECRET)
    const spellings = [plain, ...(['hex', 'base64', 'base64url'] as const).map((name) => plain.toString(name))]
    for (const name of await readdir(dataDir)) {
      const bytes = await readFile(join(dataDir, name))
      for (const spelling of spellings) expect(bytes.includes(spelling)).toBe(false)
    }
  })

  it('differs each time for the same secret', async () => {
    const vault = await vaultWithSecret()
    const before = await readFile(vaultPath, 'utf8')
    await vault.set(OPENAI, SECRET)
    expect(await readFile(vaultPath, 'utf8')).not.toBe(before)
  })

  it('is still the old file after a crash between writing and renaming', async () => {
    await vaultWithSecret()
    const before = await readFile(vaultPath)
    const script = `
      import { syncBuiltinESMExports } from 'node:module'
      import files from 'node:fs/promises'
      files.rename = () => { process.kill(process.pid, 'SIGKILL'); return new Promise(() => {}) }
      syncBuiltinESMExports()
      const { openVault } = await import('#secret/vault.ts')
      await openVault({ dataDir: process.argv[1], keyFile: undefined }).set(${JSON.stringify(OPENAI)}, 'newer')`
    const crash = run(process.execPath, ['--input-type=module', '--eval', script, dataDir])
    await expect(crash).rejects.toMatchObject({ signal: 'SIGKILL' })

    expect((await readdir(dataDir)).toSorted()).toEqual(['secrets.enc', 'secrets.enc.tmp', 'vault.key'])
    expect(await readFile(vaultPath)).toEqual(before)
    const vault = open()
    expect(await vault.get(OPENAI)).toBe(SECRET)
    await vault.set(OPENAI, 'newest')
    expect((await readdir(dataDir)).toSorted()).toEqual(['secrets.enc', 'vault.key'])
  })
})

describe('a damaged file', () => {
  it('is never answered from, whichever byte was changed', async () => {
    await vaultWithSecret()
    const original = await readFile(vaultPath)
    for (let index = 0; index < original.length; index++) {
      const bytes = Buffer.from(original)
      bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index)
      await writeFile(vaultPath, bytes)
      const answer = await open()
        .get(OPENAI)
        .catch((error: unknown) => error)
      // A change of white space is no damage.
      if (answer !== SECRET) expect(answer).toBeInstanceOf(VaultError)
    }
  })

  it.each([
    ['empty', ''],
    ['cut off', '{"version": 1, "secrets": ['],
    ['not an object', '[]'],
    ['without secrets', '{"version":1,"key_fingerprint":""}'],
    ['larger than a vault can be', ' '.repeat(1_048_577)],
  ])('is left alone when it is %s', async (_, text) => {
    await vaultWithSecret()
    await writeFile(vaultPath, text)
    const vault = open()
    expect((await failure(vault.get(OPENAI))).reason).toBe('damaged')
    expect((await failure(vault.list())).reason).toBe('damaged')
    expect((await failure(vault.delete(OPENAI))).reason).toBe('damaged')
    expect((await failure(vault.set(OPENAI, SECRET))).reason).toBe('damaged')
    expect(await readFile(vaultPath, 'utf8')).toBe(text)
  })

  it('is found when entries were swapped', async () => {
    const vault = await vaultWithSecret()
    await vault.set(LOCAL, 'other')
    const text = await readFile(vaultPath, 'utf8')
    const swapped = text.replace('"p1"', '"p3"').replace('"p2"', '"p1"').replace('"p3"', '"p2"')
    await writeFile(vaultPath, swapped)
    expect((await failure(open().get(OPENAI))).reason).toBe('damaged')
  })

  it('is not what a later version wrote', async () => {
    await vaultWithSecret()
    const text = await readFile(vaultPath, 'utf8')
    await writeFile(vaultPath, text.replace('"version": 1', '"version": 2'))
    expect((await failure(open().set(OPENAI, SECRET))).reason).toBe('too_new')
  })

  it('can be mended without opening the vault again', async () => {
    await vaultWithSecret()
    const original = await readFile(vaultPath)
    await writeFile(vaultPath, 'damaged')
    const vault = open()
    expect((await failure(vault.get(OPENAI))).reason).toBe('damaged')
    await writeFile(vaultPath, original)
    expect(await vault.get(OPENAI)).toBe(SECRET)
  })
})

describe('the key file', () => {
  it('may be given, by a link too, and then none is made', async () => {
    const link = join(folder, 'link.key')
    await symlink(await makeKeyFile(), link)
    await open(link).set(OPENAI, SECRET)
    expect(await open(link).get(OPENAI)).toBe(SECRET)
    expect(await readdir(dataDir)).toEqual(['secrets.enc'])
  })

  it('is refused when it is the key of another vault', async () => {
    await vaultWithSecret()
    const before = await readFile(vaultPath)
    const vault = open(await makeKeyFile())
    expect((await failure(vault.get(OPENAI))).reason).toBe('key_wrong')
    expect((await failure(vault.set(OPENAI, 'newer'))).reason).toBe('key_wrong')
    expect(await readFile(vaultPath)).toEqual(before)
  })

  it.each([0o440, 0o604, 0o620, 0o601])('is refused when its mode is %o', async (mode) => {
    const error = await failure(open(await makeKeyFile({ mode })).list())
    expect(error.reason).toBe('key_exposed')
    expect(error.message).toContain('own.key')
  })

  it('is refused when it is our own and was opened to others', async () => {
    await vaultWithSecret()
    await chmod(join(dataDir, 'vault.key'), 0o644)
    expect((await failure(open().get(OPENAI))).reason).toBe('key_exposed')
  })

  it.each([0, 31, 33])('is refused when it holds %i bytes', async (bytes) => {
    expect((await failure(open(await makeKeyFile({ bytes })).set(OPENAI, SECRET))).reason).toBe('key_invalid')
  })

  it('is not made anew when it is gone', async () => {
    await vaultWithSecret()
    await rm(join(dataDir, 'vault.key'))
    expect((await failure(open().set(OPENAI, 'newer'))).reason).toBe('key_missing')
    expect((await failure(open(join(folder, 'none.key')).list())).reason).toBe('key_missing')
    expect(await readdir(dataDir)).toEqual(['secrets.enc'])
  })

  it('is not made in the place of a link that leads nowhere', async () => {
    await symlink(join(folder, 'unmounted', 'vault.key'), join(dataDir, 'vault.key'))
    expect((await failure(open().set(OPENAI, SECRET))).reason).toBe('key_missing')
  })

  it('is refused when it is a folder', async () => {
    expect((await failure(open(folder).get(OPENAI))).reason).toBe('unreadable')
  })
})

describe('a credential of systemd', () => {
  const withCredential = (credentialsDir: string, keyFile?: string) => openVault({ dataDir, keyFile, credentialsDir })

  async function credentialFolder(mode: number): Promise<string> {
    const credentials = join(folder, 'credentials')
    await mkdir(credentials)
    await writeFile(join(credentials, 'farebox-key'), randomBytes(32))
    await chmod(join(credentials, 'farebox-key'), mode)
    return credentials
  }

  it.each([0o400, 0o440])('is the key, and none is made, at mode %o', async (mode) => {
    const credentials = await credentialFolder(mode)
    await withCredential(credentials).set(OPENAI, SECRET)
    expect(await withCredential(credentials).get(OPENAI)).toBe(SECRET)
    expect(await readdir(dataDir)).toEqual(['secrets.enc'])
    expect((await failure(open().get(OPENAI))).reason).toBe('key_missing')
  })

  it('is refused when everybody may read it, and a key file when its group may', async () => {
    const credentials = await credentialFolder(0o444)
    expect((await failure(withCredential(credentials).set(OPENAI, SECRET))).reason).toBe('key_exposed')
    const keyFile = await makeKeyFile({ mode: 0o440 })
    expect((await failure(withCredential(credentials, keyFile).set(OPENAI, SECRET))).reason).toBe('key_exposed')
  })

  it('comes after a key file that is named, and before the vault makes its own', async () => {
    const credentials = await credentialFolder(0o400)
    const keyFile = await makeKeyFile()
    await withCredential(credentials, keyFile).set(OPENAI, SECRET)
    expect((await failure(withCredential(credentials).get(OPENAI))).reason).toBe('key_wrong')
    expect(await open(keyFile).get(OPENAI)).toBe(SECRET)
  })

  it('that is not among the credentials of the unit leaves the vault to its own key', async () => {
    const credentials = join(folder, 'others')
    await mkdir(credentials)
    await withCredential(credentials).set(OPENAI, SECRET)
    expect((await readdir(dataDir)).toSorted()).toEqual(['secrets.enc', 'vault.key'])
  })
})

describe('refusals', () => {
  it('refuses an empty secret', async () => {
    expect((await failure(open().set(OPENAI, ''))).reason).toBe('empty_secret')
  })

  it('refuses a base URL that is not an origin, which no look-up would ever find', async () => {
    for (const origin of [
      'https://api.openai.com/',
      'https://api.openai.com:443',
      'HTTPS://api.openai.com',
      'x',
      'null',
    ]) {
      await expect(open().set({ ...OPENAI, origin }, SECRET)).rejects.toThrow(TypeError)
    }
  })

  it('refuses more than a thousand secrets', async () => {
    const vault = open()
    const keyPath = join(dataDir, 'vault.key')
    await vault.set(OPENAI, SECRET)
    const { seal, writeVaultFile } = await import('#secret/vault-file.ts')
    const { keyFingerprint, readVaultKey } = await import('#secret/vault-key.ts')
    const key = await readVaultKey({ path: keyPath, kind: 'file' })
    if (key === undefined) throw new Error('expected a key')
    const secrets = Array.from({ length: 1000 }, (_, index) => seal(key, { ...LOCAL, providerId: `p${index}` }, 'x'))
    await writeVaultFile(vaultPath, { keyFingerprint: keyFingerprint(key), secrets })
    expect((await failure(open().set(OPENAI, SECRET))).reason).toBe('full')
    await open().set({ ...LOCAL, providerId: 'p7' }, 'replaced')
    expect(await open().list()).toHaveLength(1000)
  })

  it('says what the system refuses, without the secret', async () => {
    await rm(dataDir, { recursive: true })
    await writeFile(dataDir, 'a file where the folder should be')
    const error = await failure(open().set(OPENAI, SECRET))
    expect(error.reason).toBe('unreadable')
    expect(error.message).toContain('ENOTDIR')
    expect(JSON.stringify(error) + String(error.stack)).not.toContain(SECRET)
  })
})
