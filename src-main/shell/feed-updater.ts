// Looks for updates at the feed, and lets electron-updater fetch and install what our signature covers. electron-updater never reads
// the feed itself: it is handed what was checked, so that nothing can change between the check and the use. Only loaded in packages
// that have a feed, and electron-updater only when somebody asks for a download.

import { app, net } from 'electron'
import type { AppUpdater } from 'electron-updater'
import { createHash } from 'node:crypto'
import { accessSync, constants, createReadStream } from 'node:fs'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { MAX_MANIFEST_BYTES, packageFor, readUpdate, type UpdatePackage } from '#shell/update-manifest.ts'
import type { Release } from '#shell/release.ts'
import { makeEngine } from '#shell/update-engine.ts'
import { UpdateProblem, type Build, type Looked, type Updater } from '#shell/updates.ts'

export type FeedUpdaterOptions = {
  readonly release: Pick<Release, 'path' | 'feed' | 'keys'>
  readonly build: Build
  /** As Node names it. */
  readonly arch: string
  /** The file of the AppImage that runs. */
  readonly appImage: string | undefined
}

const LOOK_LIMIT_MS = 30_000
/** Of a slow connection; a package has some 120 MB. */
const DOWNLOAD_LIMIT_MS = 60 * 60_000

export function feedUpdater(options: FeedUpdaterOptions): Updater {
  const { release, build, arch, appImage } = options
  let offered: { readonly version: string; readonly file: UpdatePackage } | undefined
  let fetched: { readonly engine: AppUpdater; readonly path: string; readonly sha512: string } | undefined

  async function look(): Promise<Looked> {
    const text = await fetchText(new URL('update.json', release.feed))
    if (text === undefined) return { type: 'nothing' }
    const read = readUpdate(text, release.keys)
    if (read.type === 'foreign') return { type: 'foreign' }
    if (read.type === 'broken') throw new Error('The feed has a file that cannot be read.')
    const { manifest, isChecked } = read
    const file = packageFor(manifest, { kind: build.kind, arch })
    offered = file === undefined || !isChecked ? undefined : { version: manifest.version, file }
    return { type: 'offer', version: manifest.version, isChecked, hasPackage: file !== undefined }
  }

  async function download(): Promise<void> {
    if (offered === undefined) throw new UpdateProblem('There is no update that could be downloaded.')
    if (appImage !== undefined) mustBeReplaceable(appImage)
    const { version, file } = offered
    const engine = await makeEngine({ release, kind: build.kind, version, file })
    const path = await engine.download(DOWNLOAD_LIMIT_MS)
    await mustBe(path, file.sha512)
    fetched = { engine: engine.updater, path, sha512: file.sha512 }
  }

  async function install(): Promise<never> {
    if (fetched === undefined) throw new UpdateProblem('There is no update that was downloaded.')
    const { engine, path, sha512 } = fetched
    // It may have lain on the disk for days.
    await mustBe(path, sha512)
    return new Promise<never>((_resolve, reject) => {
      engine.on('error', () => reject(new UpdateProblem('The update could not be installed.')))
      // The new program may be started before this one is gone, and would take it for the one that runs.
      app.releaseSingleInstanceLock()
      // Not silently, and started again afterwards.
      engine.quitAndInstall(false, true)
    })
  }

  return { look, download, install }
}

/** The text of a small file; undefined where there is none yet. Redirects are followed: what it says is signed. */
async function fetchText(url: URL): Promise<string | undefined> {
  const answer = await net.fetch(url.href, {
    cache: 'no-store',
    credentials: 'omit',
    signal: AbortSignal.timeout(LOOK_LIMIT_MS),
  })
  if (answer.status === 404) return undefined
  if (!answer.ok || answer.body === null) throw new Error('The feed does not answer as it should.')
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of answer.body) {
    size += part.byteLength
    if (size > MAX_MANIFEST_BYTES) throw new Error('The feed sends more than it should.')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

async function mustBe(path: string, sha512: string): Promise<void> {
  const hash = createHash('sha512')
  await pipeline(createReadStream(path), hash)
  if (hash.digest('base64') !== sha512) throw new UpdateProblem('What was downloaded is not what was offered.')
}

/** Replacing an AppImage begins with deleting it, so that it must be known before that the new one can take its place. */
function mustBeReplaceable(appImage: string): void {
  try {
    accessSync(dirname(appImage), constants.W_OK)
  } catch {
    throw new UpdateProblem('The folder of this AppImage cannot be written. Replace the file by hand.')
  }
}
