// Fails a build whose package lacks what was compiled for its system: npm installs that for its own system only, and nobody would
// notice before a secret is needed.

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const ARCHITECTURES = { 1: 'x64', 3: 'arm64' }

export function afterPack({ appOutDir, arch, electronPlatformName: platform, packager }) {
  const system = `${platform}-${ARCHITECTURES[arch]}`
  const modules = join(packager.getResourcesDir(appOutDir), 'app.asar.unpacked', 'node_modules')
  const database = join(modules, 'better-sqlite3', 'prebuilds', `${system}.node`)
  if (!existsSync(database)) throw new Error(`The package has no database for ${system}.`)
  const scope = join(modules, '@napi-rs')
  const keychains = existsSync(scope) ? readdirSync(scope).filter((name) => name.startsWith(`keyring-${system}`)) : []
  if (keychains.length !== 1) {
    throw new Error(`The package has no keychain for ${system}; docs/desktop.md says how to install it.`)
  }
}
