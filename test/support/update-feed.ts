// A feed of updates over https for a package that is run on the double of Electron, and what a person clicks there.

import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { makeIdentity } from '#lan/identity.ts'
import { encode, signRelease } from '../release/release.ts'

const PAIRS = { us: generateKeyPairSync('ed25519'), somebody: generateKeyPairSync('ed25519') } as const
const VERSION = '99.0.0'

export type PreparedUpdate = {
  /** The file that is to be replaced. */
  readonly appImage: string
  readonly env: Readonly<Record<string, string>>
  /** Serves the feed, clicks through the menu, and prints what became of it. */
  readonly script: string
  publish(signer: keyof typeof PAIRS): void
}

/** Makes a release of an unpacked package, which looks for updates at a feed below a folder. */
export async function prepareUpdate(app: string, folder: string): Promise<PreparedUpdate> {
  const feed = join(folder, 'feed')
  mkdirSync(feed, { recursive: true })
  const port = await freePort()
  const certificate = join(folder, 'certificate.pem')
  const identity = makeIdentity(['127.0.0.1'], Date.now())
  writeFileSync(certificate, identity.certificate)
  writeFileSync(join(folder, 'key.pem'), identity.key)
  const address = `https://127.0.0.1:${port}/`
  const release = { place: address, feed: address, public_keys: [encode(PAIRS.us.publicKey)], code_signed: false }
  const rest = { publisherName: [], updaterCacheDirName: 'farebox-updater' }
  writeFileSync(join(app, 'resources', 'release.json'), JSON.stringify({ ...release, ...rest }))
  const appImage = join(folder, 'Farebox.AppImage')
  writeFileSync(appImage, 'old')
  const env = {
    APPIMAGE: appImage,
    APPDIR: dirname(process.execPath),
    NODE_EXTRA_CA_CERTS: certificate,
    XDG_CACHE_HOME: join(folder, 'cache'),
  }
  return { appImage, env, script: scriptOf({ folder, port, appImage }), publish: (signer) => publish(feed, signer) }
}

function publish(feed: string, signer: keyof typeof PAIRS): void {
  const { privateKey, publicKey } = PAIRS[signer]
  const name = `Farebox-${VERSION}-${process.arch}.AppImage`
  writeFileSync(join(feed, name), '#!/bin/sh\ntouch "$0.ran"\n')
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
  signRelease({ folder: feed, version: VERSION, privateKey: pem, publicKeys: [encode(publicKey)], nowMs: 0 })
}

function scriptOf({ folder, port, appImage }: { folder: string; port: number; appImage: string }): string {
  return `
    const { createServer } = await import('node:https')
    const { existsSync, readFileSync } = await import('node:fs')
    const file = (name) => readFileSync('${folder}/' + name)
    const answer = ({ url }, response) => response.end(file('feed' + url.split('?')[0]))
    const server = createServer({ key: file('key.pem'), cert: file('certificate.pem') }, answer).listen(${port}, '127.0.0.1')
    const found = (beginning) => items().find(({ label }) => label?.startsWith(beginning))
    const click = async (beginning) => { await until(() => found(beginning)); found(beginning).click() }
    await until(() => items()[0]?.label.includes('running at'))
    await click('Check for updates')
    await until(() => found('Download') ?? found('An update was'))
    if (found('Download') === undefined) {
      console.log(found('An update was').label)
      await click('Quit Farebox')
    } else {
      await click('Download Farebox ${VERSION}')
      await click('Install Farebox ${VERSION} and restart')
      await until(() => existsSync('${appImage}.ran'))
      console.log('installed')
    }
    server.close()
    server.closeAllConnections()`
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
