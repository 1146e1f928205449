import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readSealed, writeSealed, type ExportedSecret } from '#secret/sealed-export.ts'

const SECRETS: readonly ExportedSecret[] = [
  { providerId: 'p1', providerName: 'openai', origin: 'https://api.openai.com', secret: 'sk-one-very-secret' },
  { providerId: 'p2', providerName: 'Größe', origin: 'https://two.example', secret: 'zwei\u0000"\n' },
]
const PASSPHRASE = 'correct horse battery staple'

let folder: string
let file: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-sealed-'))
  file = join(folder, 'monday.db.secrets')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** The real cost is for the one test that says so. */
const CHEAP = { N: 1024, r: 8, p: 1 }
const write = (isForced = false) => writeSealed(SECRETS, { file, passphrase: PASSPHRASE, isForced }, CHEAP)
const read = (passphrase = PASSPHRASE) => readSealed({ file, passphrase }, CHEAP)

it('gives back what it was given, and shows none of it before', async () => {
  expect(await write()).toBeUndefined()
  expect(await read()).toEqual(SECRETS)
  const bytes = await readFile(file, 'utf8')
  for (const { providerId, providerName, origin, secret } of SECRETS) {
    for (const text of [`"${providerId}"`, providerName, origin, secret, PASSPHRASE]) expect(bytes).not.toContain(text)
  }
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

it('makes another file of the same secrets each time', async () => {
  await write()
  const first = await readFile(file, 'utf8')
  await write(true)
  expect(await readFile(file, 'utf8')).not.toBe(first)
})

it.each(['correct horse battery staplf', '', `${PASSPHRASE} `])(
  'does not open with the passphrase %j',
  async (other) => {
    await write()
    expect(await read(other)).toEqual({ type: 'problem', reason: 'locked' })
  },
)

it('opens with the same letters, however a keyboard composes them', async () => {
  await writeSealed(SECRETS, { file, passphrase: 'sch\u00f6ne W\u00f6rter', isForced: false }, CHEAP)
  expect(await read('scho\u0308ne Wo\u0308rter')).toEqual(SECRETS)
})

it('does not open when anything in it was changed', async () => {
  await write()
  const sealed = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  for (const name of ['salt', 'nonce', 'ciphertext', 'tag']) {
    const bytes = Buffer.from(String(sealed[name]), 'base64')
    bytes[0] = (bytes[0] ?? 0) ^ 1
    await writeFile(file, JSON.stringify({ ...sealed, [name]: bytes.toString('base64') }))
    expect(await read(), name).toEqual({ type: 'problem', reason: 'locked' })
  }
})

it.each([
  ['', 'foreign'],
  ['no JSON', 'foreign'],
  ['{}', 'foreign'],
  ['{"format":"farebox-secrets","version":2}', 'foreign'],
  ['{"format":"farebox-secrets","version":1,"salt":"AA=="}', 'foreign'],
])('does not take %j for a file of secrets', async (text, reason) => {
  await writeFile(file, text)
  expect(await read()).toEqual({ type: 'problem', reason })
})

it('says when there is no file, or no folder', async () => {
  expect(await read()).toEqual({ type: 'problem', reason: 'place' })
  file = join(folder, 'nowhere', 'monday.db.secrets')
  expect(await write()).toEqual({ type: 'problem', reason: 'place' })
})

it('replaces nothing unless it is forced, and then only a file of secrets', async () => {
  await writeFile(file, 'my novel')
  expect(await write()).toEqual({ type: 'problem', reason: 'taken' })
  expect(await write(true)).toEqual({ type: 'problem', reason: 'taken' })
  expect(await readFile(file, 'utf8')).toBe('my novel')
  await rm(file)
  await write()
  expect(await write()).toEqual({ type: 'problem', reason: 'taken' })
  expect(await write(true)).toBeUndefined()
  expect(await read()).toEqual(SECRETS)
})

it('leaves alone what lies beside it, whatever that is called', async () => {
  const others = ['.tmp', '.new', '~'].map((ending) => `${file}${ending}`)
  for (const other of others) await writeFile(other, 'my novel')
  expect(await write()).toBeUndefined()
  expect(await write(true)).toBeUndefined()
  for (const other of others) expect(await readFile(other, 'utf8'), other).toBe('my novel')
  expect(await readdir(folder)).toHaveLength(others.length + 1)
})

it.runIf(process.platform === 'linux')('does not wait for a pipe', async () => {
  execFileSync('mkfifo', [file])
  expect(await read()).toEqual({ type: 'problem', reason: 'place' })
  expect(await write(true)).toEqual({ type: 'problem', reason: 'place' })
})

it('costs whoever tries passphrases, unless a test says otherwise', { timeout: 60_000 }, async () => {
  await writeSealed(SECRETS, { file, passphrase: PASSPHRASE, isForced: false })
  expect(await read()).toEqual({ type: 'problem', reason: 'locked' })
  expect(await readSealed({ file, passphrase: PASSPHRASE })).toEqual(SECRETS)
})
