// Builds the dashboard into dist/dashboard: at installation, and by a gateway that finds none. Plain JavaScript that every Node
// since 14 can read. With --prepare it never fails, because an installation must not fail for want of a page.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Tells a gateway that the builder is not installed. */
const ABSENT = 3

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const isPreparing = process.argv.includes('--prepare')
const exitCode = build()
process.exitCode = isPreparing ? 0 : exitCode

function build() {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  if (!existsSync(vite) || !existsSync(join(root, 'vite.config.ts'))) {
    if (isPreparing) process.stdout.write('The dashboard is not built, because Vite is not installed.\n')
    return ABSENT
  }
  // Built beside its place, so that nobody is ever served half of it.
  const place = join(root, 'dist', 'dashboard')
  const draft = place + '.new-' + process.pid
  const old = place + '.old-' + process.pid
  try {
    const args = [vite, 'build', '--outDir', draft, '--emptyOutDir', '--logLevel', 'warn']
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
    if (status !== 0) throw new Error('vite ended with ' + status)
    mkdirSync(dirname(place), { recursive: true })
    if (existsSync(place)) renameSync(place, old)
    renameSync(draft, place)
    return 0
  } catch (error) {
    if (isPreparing) process.stdout.write('The dashboard could not be built (' + error.message + '): npm run build\n')
    return 1
  } finally {
    rmSync(draft, { recursive: true, force: true })
    rmSync(old, { recursive: true, force: true })
  }
}
