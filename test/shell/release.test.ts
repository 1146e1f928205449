import { execFileSync } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildOf, ownAppImage, readRelease, type BuildFacts, type Release } from '#shell/release.ts'
import { MAX_MANIFEST_BYTES, packageFor, readUpdate } from '#shell/update-manifest.ts'
import { updatePolicy } from '#shell/updates.ts'
import { needs } from '../requirements.ts'
import { encode, signRelease, stampRelease } from '../release/release.ts'

const ROOT = dirname(dirname(import.meta.dirname))
const OURS = generateKeyPairSync('ed25519')
const THEIRS = generateKeyPairSync('ed25519')
const PEM = OURS.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
const PUBLIC = encode(OURS.publicKey)
const PLACEHOLDER = {
  place: '',
  feed: '',
  public_keys: [] as string[],
  code_signed: false,
  publisherName: [] as string[],
  updaterCacheDirName: 'farebox-updater',
}
const FULL = { ...PLACEHOLDER, place: 'https://example.org/farebox', feed: 'https://example.org/feed' }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-release-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, content: string): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

describe('what a package knows about itself', () => {
  const read = (content: object) => readRelease(write('release.json', JSON.stringify(content)))

  it('is nothing in the sources, so that a build of theirs looks for no updates', () => {
    expect(readRelease(join(ROOT, 'resources', 'release.json'))).toBeUndefined()
  })

  it('is where its updates are and whose signature they carry', () => {
    const release = read({ ...FULL, public_keys: [PUBLIC] })
    expect(release).toMatchObject({ feed: 'https://example.org/feed/', place: 'https://example.org/farebox' })
    expect(release?.keys).toHaveLength(1)
  })

  it.each<[string, object]>([
    ['a feed that is not https', { ...FULL, feed: 'http://example.org/feed' }],
    ['a feed without a place to point to', { ...FULL, place: '' }],
    ['a place that is no address', { ...FULL, place: 'farebox' }],
    ['a key that is none', { ...FULL, public_keys: [PUBLIC, 'AAAA'] }],
    ['a key of another kind', { ...FULL, public_keys: [encode(generateKeyPairSync('x25519').publicKey)] }],
    ['a member that nobody knows', { ...FULL, allow_downgrade: true }],
    ['a missing member', { feed: 'https://example.org/feed' }],
  ])('is nothing with %s', (_name, content) => {
    expect(read(content)).toBeUndefined()
  })

  it('is nothing where there is no file, or none that can be read', () => {
    expect(readRelease(join(folder, 'missing.json'))).toBeUndefined()
    expect(readRelease(write('release.json', '{'))).toBeUndefined()
  })
})

describe('a build', () => {
  const SIGNED: Release = {
    path: '/release.json',
    place: FULL.place,
    feed: FULL.feed,
    keys: [OURS.publicKey],
    isCodeSigned: true,
    publishers: ['CN=Farebox'],
  }
  const FACTS: BuildFacts = {
    platform: 'linux',
    isPackaged: true,
    version: '1.0.0',
    release: SIGNED,
    appImage: '/home/ada/Farebox.AppImage',
    packageType: undefined,
  }

  it.each<[string, Partial<BuildFacts>, string]>([
    ['a signed AppImage', {}, 'self'],
    ['a signed disk image', { platform: 'darwin', appImage: undefined }, 'self'],
    ['a signed installer', { platform: 'win32', appImage: undefined }, 'self'],
    ['a release without a key', { release: { ...SIGNED, keys: [] } }, 'tell'],
    ['a disk image without Apple', { platform: 'darwin', release: { ...SIGNED, isCodeSigned: false } }, 'tell'],
    ['an installer without a certificate', { platform: 'win32', release: { ...SIGNED, isCodeSigned: false } }, 'tell'],
    ['an installer of nobody', { platform: 'win32', release: { ...SIGNED, publishers: [] } }, 'tell'],
    ['a build that is no release', { release: undefined }, 'tell'],
    ['a deb', { appImage: undefined, packageType: 'deb' }, 'tell'],
    ['an rpm', { appImage: undefined, packageType: 'rpm' }, 'tell'],
    ['a folder that was unpacked', { appImage: undefined }, 'tell'],
    ['a clone', { isPackaged: false }, 'none'],
  ])('that is %s: %s', (_name, changes, type) => {
    expect(updatePolicy(buildOf({ ...FACTS, ...changes })).type).toBe(type)
  })

  it('is an AppImage only when this program runs out of it', () => {
    const file = '/home/ada/Farebox.AppImage'
    const env = { APPIMAGE: file, APPDIR: '/tmp/.mount_farebox1' }
    expect(ownAppImage(env, '/tmp/.mount_farebox1/farebox')).toBe(file)
    // Started from the terminal of another AppImage.
    expect(ownAppImage(env, '/opt/Farebox/farebox')).toBeUndefined()
    expect(ownAppImage(env, '/tmp/.mount_farebox12/farebox')).toBeUndefined()
    expect(ownAppImage({ APPIMAGE: file }, '/tmp/.mount_farebox1/farebox')).toBeUndefined()
    expect(ownAppImage({ APPIMAGE: 'Farebox.AppImage', APPDIR: '/tmp/a' }, '/tmp/a/farebox')).toBeUndefined()
    expect(ownAppImage({ APPIMAGE: file, APPDIR: '' }, '/farebox')).toBeUndefined()
  })
})

describe('a release', () => {
  const NAMES = ['Farebox-1.2.3-x86_64.AppImage', 'farebox_1.2.3_amd64.deb', 'Farebox-1.2.3-arm64.zip', 'sbom.cdx.json']
  const signing = () => ({ folder, version: '1.2.3', privateKey: PEM, publicKeys: [PUBLIC], nowMs: 0 })

  function release() {
    for (const name of NAMES) write(name, name)
    return signRelease(signing())
  }

  it('is read by the packages that carry its key, and has what each system needs', () => {
    release()
    const read = readUpdate(readFileSync(join(folder, 'update.json'), 'utf8'), [THEIRS.publicKey, OURS.publicKey])
    if (read.type !== 'update') throw new Error(read.type)
    expect(read).toMatchObject({ isChecked: true, manifest: { version: '1.2.3' } })
    const { manifest } = read
    expect(packageFor(manifest, { kind: 'appimage', arch: 'x64' })).toMatchObject({ name: NAMES[0], size: 29 })
    expect(packageFor(manifest, { kind: 'dmg', arch: 'arm64' })?.name).toBe(NAMES[2])
    expect(packageFor(manifest, { kind: 'dmg', arch: 'x64' })).toBeUndefined()
    expect(packageFor(manifest, { kind: 'other', arch: 'x64' })).toBeUndefined()
    expect(manifest.files.map(({ name }) => name)).not.toContain('sbom.cdx.json')
  })

  it('is foreign when anybody else signed it, or changed a letter of it', () => {
    release()
    const text = readFileSync(join(folder, 'update.json'), 'utf8')
    expect(readUpdate(text, [THEIRS.publicKey])).toEqual({ type: 'foreign' })
    expect(readUpdate(text.replace('1.2.3', '1.2.4'), [OURS.publicKey])).toEqual({ type: 'foreign' })
    expect(readUpdate(text.replace('x86_64', 'x86-64'), [OURS.publicKey])).toEqual({ type: 'foreign' })
    const { signed } = JSON.parse(text) as { signed: string }
    const empty = JSON.stringify({ signed, signature: `${'A'.repeat(86)}==` })
    expect(readUpdate(empty, [OURS.publicKey])).toEqual({ type: 'foreign' })
  })

  it('is told of without a key, and then says that nobody checked it', () => {
    release()
    expect(readUpdate(readFileSync(join(folder, 'update.json'), 'utf8'), [])).toMatchObject({
      type: 'update',
      isChecked: false,
    })
  })

  it.each([
    '',
    'null',
    '[]',
    '{"signed":"{}"}',
    JSON.stringify({ signed: 'x'.repeat(MAX_MANIFEST_BYTES), signature: 'AA' }),
    JSON.stringify({ signed: '{}', signature: 'not base64' }),
  ])('is broken as %s', (text) => {
    expect(readUpdate(text, [OURS.publicKey])).toEqual({ type: 'broken' })
  })

  it.each([
    ['that is a folder away', { name: '../farebox.AppImage' }],
    ['of another host', { name: '//evil.example/farebox.AppImage' }],
    ['without a size', { size: 0 }],
    ['of more than a gigabyte', { size: 2 ** 30 + 1 }],
    ['with a hash of another kind', { sha512: 'abc' }],
  ])('is broken with a file %s', (_name, change) => {
    const manifest = release()
    const files = manifest.files.map((file) => ({ ...file, ...change }))
    const signed = JSON.stringify({ ...manifest, files })
    const text = JSON.stringify({ signed, signature: `${'A'.repeat(86)}==` })
    expect(readUpdate(text, [])).toEqual({ type: 'broken' })
  })

  it('has sums of every file, and a signature over them', () => {
    release()
    const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8')
    const sha256 = (name: string) =>
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex')
    expect(sums.trim().split('\n')).toEqual(
      [...NAMES, 'update.json'].toSorted().map((name) => `${sha256(name)}  ${name}`),
    )
    const signature = readFileSync(join(folder, 'SHA256SUMS.sig'))
    expect(verify(undefined, Buffer.from(sums), OURS.publicKey, signature)).toBe(true)
    expect(verify(undefined, Buffer.from(`${sums} `), OURS.publicKey, signature)).toBe(false)
  })

  it.skipIf(process.platform !== 'linux')('can be checked by hand, as the documentation says', needs('openssl'), () => {
    release()
    const key = createPublicKey({ key: Buffer.from(PUBLIC, 'base64'), format: 'der', type: 'spki' })
    write('key.pem', key.export({ format: 'pem', type: 'spki' }) as string)
    const check = ['pkeyutl', '-verify', '-pubin', '-inkey', 'key.pem', '-rawin', '-in', 'SHA256SUMS', '-sigfile']
    const options = { cwd: folder, encoding: 'utf8' } as const
    expect(execFileSync('openssl', [...check, 'SHA256SUMS.sig'], options)).toContain('Success')
    execFileSync('sha256sum', ['--check', '--strict', '--ignore-missing', '--quiet', 'SHA256SUMS'], options)
  })

  it('is the same when it is signed again', () => {
    const first = release()
    const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8')
    expect(signRelease(signing())).toEqual(first)
    expect(readFileSync(join(folder, 'SHA256SUMS'), 'utf8')).toBe(sums)
  })

  it.each<[string, Partial<ReturnType<typeof signing>>, string | undefined, RegExp]>([
    ['with a key that no package carries', { publicKeys: [encode(THEIRS.publicKey)] }, undefined, /do not carry/],
    ['with no keys in the packages', { publicKeys: [] }, undefined, /do not carry/],
    ['of another version than its files', { version: '1.2.4' }, undefined, /does not say that it is 1\.2\.4/],
    ['with a file that does not say its processor', {}, 'Farebox-1.2.3.AppImage', /for which processor/],
    ['with a name that no feed could serve', {}, 'Farebox Setup 1.2.3 x64.exe', /cannot have a file/],
  ])('is not made %s', (_name, changes, extra, message) => {
    for (const name of NAMES) write(name, name)
    if (extra !== undefined) write(extra, '')
    expect(() => signRelease({ ...signing(), ...changes })).toThrow(message)
  })

  it('is not made of nothing', () => {
    expect(() => signRelease(signing())).toThrow('There are no packages')
  })
})

describe('the stamp of a release', () => {
  const ENV = {
    FAREBOX_RELEASE_PLACE: 'https://example.org/farebox',
    FAREBOX_RELEASE_FEED: 'https://example.org/farebox/releases/latest/download/',
    FAREBOX_RELEASE_PUBLIC_KEYS: PUBLIC,
    FAREBOX_RELEASE_CODE_SIGNED: 'yes',
    FAREBOX_RELEASE_PUBLISHER: 'CN=Farebox, O=Farebox, C=DE',
  }

  beforeEach(() => {
    write('package.json', '{"version":"1.2.3"}')
    write('src-main/config/config.ts', "export const VERSION = '1.2.3'\n")
    write('resources/release.json', JSON.stringify(PLACEHOLDER))
  })

  it('is what its packages read', () => {
    expect(stampRelease({ root: folder, tag: 'v1.2.3', env: ENV })).toContain('with 1 keys')
    expect(readRelease(join(folder, 'resources', 'release.json'))).toMatchObject({
      isCodeSigned: true,
      publishers: ['CN=Farebox, O=Farebox, C=DE'],
    })
    expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toEqual({
      version: '1.2.3',
      repository: { type: 'git', url: 'git+https://example.org/farebox.git' },
    })
  })

  it('leaves the file empty where the project has no feed', () => {
    expect(stampRelease({ root: folder, tag: 'v1.2.3', env: { ...ENV, FAREBOX_RELEASE_FEED: '' } })).toContain(
      'no feed',
    )
    expect(readRelease(join(folder, 'resources', 'release.json'))).toBeUndefined()
  })

  it('is refused for a tag that is not the version, and for sources that disagree about it', () => {
    expect(() => stampRelease({ root: folder, tag: 'v1.2.4', env: ENV })).toThrow('does not name the version')
    write('src-main/config/config.ts', "export const VERSION = '1.2.2'\n")
    expect(() => stampRelease({ root: folder, tag: 'v1.2.3', env: ENV })).toThrow('config.ts is not at version')
  })
})
