// Stands in for a distribution of Electron where a package is put together: the files that electron-builder looks for, and a program
// that prints its arguments. Its fuses are where Electron has them, and as Electron ships them.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
/** Version 1 of the wire, nine fuses, in the order of `FuseV1Options`. */
const FUSES = Buffer.concat([Buffer.from([1, 9]), Buffer.from('101100011')])
const PROGRAM = '#!/bin/sh\nfor word in "$@"; do echo "$word"; done\nexit\n'

/** Some of those that Electron brings, by its names. */
const LOCALES = ['de', 'en-US', 'es', 'es-419', 'fr', 'it', 'ja', 'pt-BR', 'pt-PT', 'zh-CN', 'zh-TW']

/** Writes one for Linux into a folder. */
export function writeElectronDistribution(folder: string): void {
  mkdirSync(join(folder, 'locales'), { recursive: true })
  mkdirSync(join(folder, 'resources'))
  const program = Buffer.concat([Buffer.from(PROGRAM), Buffer.from(FUSE_SENTINEL), FUSES, Buffer.from('\n')])
  writeFileSync(join(folder, 'electron'), program, { mode: 0o755 })
  writeFileSync(join(folder, 'chrome-sandbox'), '', { mode: 0o755 })
  for (const name of ['LICENSE', 'LICENSES.chromium.html', 'version', 'icudtl.dat', 'resources.pak']) {
    writeFileSync(join(folder, name), name)
  }
  for (const language of LOCALES) writeFileSync(join(folder, 'locales', `${language}.pak`), language)
}
