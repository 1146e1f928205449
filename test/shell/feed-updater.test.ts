// The real electron-updater, on the double of Electron and a feed on this machine: looks, downloads and installs as far as that goes
// without the systems whose installers it starts.

import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { feedUpdater } from '#shell/feed-updater.ts'
import { UpdateControl } from '#shell/update-control.ts'
import { type Build, type Updater } from '#shell/updates.ts'
import { encode, signRelease } from '../release/release.ts'
import { app, resetElectron, world } from '../support/electron-double.ts'
import { releaseDouble, requireDouble } from '../support/electron-require.ts'

vi.mock('electron', () => import('../support/electron-double.ts'))

const OURS = generateKeyPairSync('ed25519')
const THEIRS = generateKeyPairSync('ed25519')
const NEW = '#!/bin/sh\necho "$APPIMAGE_SILENT_INSTALL" > "$0.ran"\n'
const BUILD: Build = { isPackaged: true, isSigned: true, kind: 'appimage', version: '1.0.0' }

let folder: string
let feed: string
let server: Server
let asked: string[]
let answer: (request: IncomingMessage, response: ServerResponse) => void

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-feed-'))
  feed = mkdtempSync(join(tmpdir(), 'farebox-feed-'))
  asked = []
  answer = serve
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'))
  vi.stubEnv('APPIMAGE', join(folder, 'Farebox-1.0.0-x86_64.AppImage'))
  writeFileSync(join(folder, 'Farebox-1.0.0-x86_64.AppImage'), 'old')
  writeFileSync(join(folder, 'release.json'), '{"updaterCacheDirName":"farebox-updater","publisherName":[]}')
  requireDouble()
  resetElectron({ isPackaged: true, appData: folder })
  world.ready()
  app.requestSingleInstanceLock()
})

afterEach(async () => {
  releaseDouble()
  vi.unstubAllEnvs()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  for (const each of [folder, feed]) rmSync(each, { recursive: true, force: true })
})

function serve({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const path = join(feed, url.replace(/\?.*$/, ''))
  response.statusCode = existsSync(path) ? 200 : 404
  response.end(existsSync(path) ? readFileSync(path) : 'there is nothing')
}

type Publishing = { readonly version?: string; readonly name?: string; readonly pair?: typeof OURS }

/** Releases a version with one package. */
function publish({ version = '1.1.0', name = `Farebox-${version}-x86_64.AppImage`, pair = OURS }: Publishing = {}) {
  writeFileSync(join(feed, name), NEW)
  const privateKey = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
  signRelease({ folder: feed, version, privateKey, publicKeys: [encode(pair.publicKey)], nowMs: 0 })
}

function url(): string {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`
}

function updaterOf(build: Partial<Build> = {}, keys = [OURS.publicKey]): Updater {
  const kind = build.kind ?? 'appimage'
  return feedUpdater({
    release: { path: join(folder, 'release.json'), feed: url(), keys },
    build: { ...BUILD, ...build },
    arch: 'x64',
    appImage: kind === 'appimage' ? process.env['APPIMAGE'] : undefined,
  })
}

async function problem(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'none'
  } catch (error) {
    return error instanceof Error ? error.message : 'not an error'
  }
}

describe('a look at the feed', () => {
  it('finds a release that we signed', async () => {
    publish()
    expect(await updaterOf().look()).toEqual({ type: 'offer', version: '1.1.0', isChecked: true, hasPackage: true })
    expect(asked).toEqual(['/update.json'])
  })

  it('says that there is no package for this system', async () => {
    publish({ name: 'Farebox-1.1.0-arm64.AppImage' })
    expect(await updaterOf().look()).toMatchObject({ hasPackage: false })
  })

  it('calls what others signed foreign, and tells what it cannot check', async () => {
    publish({ pair: THEIRS })
    expect(await updaterOf().look()).toEqual({ type: 'foreign' })
    expect(await updaterOf({}, []).look()).toMatchObject({ version: '1.1.0', isChecked: false })
  })

  it('finds nothing before the first release', async () => {
    expect(await updaterOf().look()).toEqual({ type: 'nothing' })
  })

  it.each<[string, typeof answer]>([
    ['answers with an error', (_request, response) => response.writeHead(500).end()],
    ['answers with something else', (_request, response) => response.end('<html>')],
    ['goes away', (request) => request.socket.destroy()],
    ['sends without an end', (_request, response) => flood(response)],
  ])('rejects when the feed %s', async (_name, behaviour) => {
    answer = behaviour
    expect(await problem(updaterOf().look())).not.toBe('none')
  })
})

/** electron-updater's cache has a place of its own on each system, and only Linux lets a test say which. */
const onLinux = describe.runIf(process.platform === 'linux')

onLinux('an update of an AppImage', () => {
  it('is fetched, checked, put in the place of the old file and started, when everything else has ended', async () => {
    publish()
    const updater = updaterOf()
    await updater.look()
    await updater.download()
    const old = join(folder, 'Farebox-1.0.0-x86_64.AppImage')
    expect(readFileSync(old, 'utf8')).toBe('old')
    expect([world.exits, world.hasLock]).toEqual([[], true])
    void updater.install()
    const fresh = join(folder, 'Farebox-1.1.0-x86_64.AppImage')
    // The file is there before anything is in it.
    await expect.poll(() => existsSync(`${fresh}.ran`) && readFileSync(`${fresh}.ran`, 'utf8')).toBe('true\n')
    expect([existsSync(old), readFileSync(fresh, 'utf8')]).toEqual([false, NEW])
    // The new program must not find this one, and Electron is told to quit.
    await expect.poll(() => world.exits).toEqual([0])
    expect(world.hasLock).toBe(false)
  })

  it('asks the feed for its file and the package, and for nothing else', async () => {
    publish()
    const updater = updaterOf()
    await updater.look()
    await updater.download()
    expect(asked).toEqual(['/update.json', '/Farebox-1.1.0-x86_64.AppImage'])
  })

  it('is never installed by itself when the program ends', async () => {
    publish()
    const updater = updaterOf()
    await updater.look()
    await updater.download()
    app.quit()
    expect(readFileSync(process.env['APPIMAGE'] ?? '', 'utf8')).toBe('old')
    expect(app.listenerCount('quit')).toBe(0)
  })

  it('that is not the file that was signed is refused, and leaves nothing behind', async () => {
    publish()
    writeFileSync(join(feed, 'Farebox-1.1.0-x86_64.AppImage'), NEW.replace('echo', 'exec'))
    const updater = updaterOf()
    await updater.look()
    expect(await problem(updater.download())).toContain('sha512 checksum mismatch')
    expect(existsSync(join(folder, 'cache', 'farebox-updater', 'pending', 'Farebox-1.1.0-x86_64.AppImage'))).toBe(false)
    expect(await problem(updater.install())).toBe('No update has been downloaded.')
  })

  it('is refused when the file was changed after it was downloaded', async () => {
    publish()
    const updater = updaterOf()
    await updater.look()
    await updater.download()
    const pending = join(folder, 'cache', 'farebox-updater', 'pending', 'Farebox-1.1.0-x86_64.AppImage')
    writeFileSync(pending, 'another')
    expect(await problem(updater.install())).toBe('The downloaded file is not the one that was offered.')
    expect([readFileSync(process.env['APPIMAGE'] ?? '', 'utf8'), world.exits]).toEqual(['old', []])
  })

  it('that is larger than what was signed is broken off, not written until the disk is full', async () => {
    publish()
    answer = (request, response) =>
      request.url?.endsWith('.AppImage') === true ? flood(response) : serve(request, response)
    const updater = updaterOf()
    await updater.look()
    expect(await problem(updater.download())).toBe('cancelled')
  })

  it.each(['0.9.0', '1.0.0', '1.0.0-rc.1'])(
    'to %s is a step back, which electron-updater refuses as well',
    async (version) => {
      publish({ version })
      const updater = updaterOf()
      await updater.look()
      expect(await problem(updater.download())).toBe('There is nothing to download.')
      expect(asked).toEqual(['/update.json'])
    },
  )

  it('is not downloaded without a look, nor when nobody checked it', async () => {
    publish()
    expect(await problem(updaterOf().download())).toBe('There is no update to download.')
    const unchecked = updaterOf({}, [])
    await unchecked.look()
    expect(await problem(unchecked.download())).toBe('There is no update to download.')
  })

  it('is not begun where its folder is gone', async () => {
    publish()
    vi.stubEnv('APPIMAGE', '/nonexistent/Farebox.AppImage')
    const updater = updaterOf()
    await updater.look()
    expect(await problem(updater.download())).toContain('The folder of this AppImage cannot be written.')
  })

  it('that cannot take the place of the old file says so', async () => {
    publish()
    const updater = updaterOf()
    await updater.look()
    await updater.download()
    rmSync(process.env['APPIMAGE'] ?? '')
    expect(await problem(updater.install())).toBe('The update could not be installed.')
    expect(world.exits).toEqual([])
  })
})

onLinux('an update on macOS', () => {
  it('is handed to the updater of the system, which fetches what was checked and quits', async () => {
    publish({ name: 'Farebox-1.1.0-x64.zip' })
    const updater = updaterOf({ kind: 'dmg' })
    await updater.look()
    await updater.download()
    expect(world.squirrel).toEqual([])
    void updater.install()
    await expect.poll(() => world.squirrel).toEqual([NEW, 'quitAndInstall'])
    expect(world.exits).toEqual([0])
  })
})

onLinux('the menu of updates, with a real feed', () => {
  function control(updater: Updater, build: Partial<Build> = {}) {
    return new UpdateControl({
      build: { ...BUILD, ...build },
      updater,
      nowMs: () => 0,
      isDaily: () => false,
      lastLookMs: () => undefined,
      onLook: () => undefined,
      onChange: () => undefined,
      onInstall: () => undefined,
    })
  }

  it('goes from a look to an installation', async () => {
    publish()
    const menu = control(updaterOf())
    await menu.look('asked')
    expect(menu.state).toEqual({ type: 'offered', version: '1.1.0', canInstall: true })
    await menu.download()
    expect(menu.state).toEqual({ type: 'ready', version: '1.1.0' })
    void menu.installer()?.()
    await expect.poll(() => world.exits).toEqual([0])
    await expect.poll(() => existsSync(join(folder, 'Farebox-1.1.0-x86_64.AppImage.ran'))).toBe(true)
    menu.close()
  })

  it.each<[string, Partial<Build>]>([
    ['an unsigned build', { isSigned: false }],
    ['a deb', { kind: 'deb' }],
    ['an rpm', { kind: 'rpm' }],
  ])('only tells of it in %s', async (_name, build) => {
    publish()
    const menu = control(updaterOf(build), build)
    await menu.look('asked')
    await menu.download()
    expect(menu.state).toEqual({ type: 'offered', version: '1.1.0', canInstall: false })
    expect([menu.installer(), asked]).toEqual([undefined, ['/update.json']])
    menu.close()
  })
})

/** Sends until nobody listens any more. */
function flood(response: ServerResponse): void {
  const part = Buffer.alloc(16 * 1024, ' ')
  const send = () => {
    while (!response.destroyed && response.write(part));
  }
  response.on('drain', send)
  send()
}
