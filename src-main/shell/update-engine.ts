// electron-updater, held to one package of one release that was checked before: it fetches that file, compares its hash and has it
// installed. What it would do by itself is switched off.

import type * as Updating from 'electron-updater'
import type { AppUpdater, CancellationToken, ResolvedUpdateFileInfo, UpdateInfo } from 'electron-updater'
import type { ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider.js'
import type { Build } from '#shell/updates.ts'
import type { UpdatePackage } from '#shell/update-manifest.ts'
import type { Release } from '#shell/release.ts'

export type EngineOptions = {
  readonly release: Pick<Release, 'path' | 'feed'>
  readonly kind: Build['kind']
  readonly version: string
  readonly file: UpdatePackage
}

export type Engine = {
  readonly updater: AppUpdater
  /** Resolves to the file; rejects when it is not what was offered, larger than it, or later than this. */
  download(limitMs: number): Promise<string>
}

type Library = typeof Updating

export async function makeEngine(options: EngineOptions): Promise<Engine> {
  const library: Library = await import('electron-updater')
  const updater = updaterOf(library, options.kind)
  // Its messages hold addresses and paths, and are not shown anywhere.
  updater.logger = null
  updater.autoDownload = false
  updater.autoInstallOnAppQuit = false
  updater.allowDowngrade = false
  updater.allowPrerelease = false
  updater.disableWebInstaller = true
  // Parts of files are put together by lists that are not signed.
  updater.disableDifferentialDownload = true
  updater.updateConfigPath = options.release.path
  const token = new library.CancellationToken()
  updater.setFeedURL({ provider: 'custom', updateProvider: providerOf(library, options, token) })
  return { updater, download: (limitMs) => download(updater, token, limitMs) }
}

function updaterOf({ AppImageUpdater, MacUpdater, NsisUpdater }: Library, kind: Build['kind']): AppUpdater {
  if (kind === 'appimage') return new AppImageUpdater()
  if (kind === 'nsis') return new NsisUpdater()
  if (kind === 'dmg') return new MacUpdater()
  throw new Error(`A ${kind} is not replaced by itself.`)
}

async function download(updater: AppUpdater, token: CancellationToken, limitMs: number): Promise<string> {
  const timer = setTimeout(() => token.cancel(), limitMs)
  try {
    const found = await updater.checkForUpdates()
    if (found?.isUpdateAvailable !== true) throw new Error('There is nothing to download.')
    const [path] = await updater.downloadUpdate(token)
    if (path === undefined) throw new Error('Nothing was downloaded.')
    return path
  } finally {
    clearTimeout(timer)
  }
}

/** Answers from what was checked, without asking the feed again. */
function providerOf({ Provider }: Library, { release, version, file }: EngineOptions, token: CancellationToken) {
  const { name, size, sha512 } = file
  const info: UpdateInfo = {
    version,
    files: [{ url: name, size, sha512 }],
    path: name,
    sha512,
    releaseDate: '',
  }
  return class CheckedProvider extends Provider<UpdateInfo> {
    constructor(_options: unknown, _updater: unknown, runtime: ProviderRuntimeOptions) {
      super(runtime)
      bound(runtime.executor, size, token)
    }

    getLatestVersion(): Promise<UpdateInfo> {
      return Promise.resolve(info)
    }

    resolveFiles({ files }: UpdateInfo): ResolvedUpdateFileInfo[] {
      return files.map((each) => ({ url: new URL(each.url, release.feed), info: each }))
    }
  }
}

/** The hash is compared when the file is whole, and until then an answer without an end would fill the disk. */
function bound(executor: ProviderRuntimeOptions['executor'], most: number, token: CancellationToken): void {
  const create = executor.createRequest.bind(executor)
  let size = 0
  executor.createRequest = (options, callback) =>
    create(options, (response: NodeJS.ReadableStream) => {
      response.on('data', (part: Uint8Array) => {
        size += part.byteLength
        if (size > most) token.cancel()
      })
      callback(response)
    })
}
