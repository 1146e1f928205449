// Packages from PyPI for what tests run in Python: in a folder outside the project which later runs share.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The registry could not give a package. It says nothing about Farebox, so that a caller may want to go on without it. */
export class NotInstalled extends Error {}

export const INSTALL_LIMIT_MS = 540_000
const run = promisify(execFile)

export function packagesFolder(): string {
  return process.env['FAREBOX_UPSTREAMS_DIR'] ?? join(tmpdir(), 'farebox-upstreams')
}

/** Installs what pip is asked for, once for each `folder`, which has to be another one for other packages. */
export async function installPackages(folder: string, asked: readonly string[]): Promise<void> {
  // The mark is written last, so that an interrupted installation is not taken for one.
  const mark = join(folder, 'installed')
  if (existsSync(mark)) return
  process.stdout.write(`installing into ${folder}\n`)
  // Two runs may install at the same time, and neither may look into what the other has not finished.
  const made = `${folder}.${process.pid}`
  await rm(made, { recursive: true, force: true })
  await mkdir(made, { recursive: true })
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-compile', '--target', made]
  try {
    await run('python3', [...pip, ...asked], { timeout: INSTALL_LIMIT_MS })
  } catch (error) {
    await rm(made, { recursive: true, force: true })
    throw new NotInstalled(`pip could not install ${asked.join(' ')}: ${lastLines(error)}`)
  }
  await writeFile(join(made, 'installed'), '')
  if (!existsSync(mark)) await rm(folder, { recursive: true, force: true })
  // Whoever was first has the same.
  await rename(made, folder).catch(() => rm(made, { recursive: true, force: true }))
}

/**
 * The folder with the packages of a requirements file, each of them with its hash, or undefined where they cannot be had. In CI that is
 * a failure: what proves nothing must not look like a proof.
 */
export async function installRequirements(name: string, file: string): Promise<string | undefined> {
  const folder = join(packagesFolder(), `${name}-${hashOf(await readFile(file, 'utf8'))}`)
  try {
    // The file names all that there is to install. pip 23.2 would look for the newest version of what is asked for with an extra, which has no hash here.
    await installPackages(folder, ['--require-hashes', '--no-deps', '-r', file])
    return folder
  } catch (error) {
    if (!(error instanceof NotInstalled) || process.env['CI'] !== undefined) throw error
    process.stdout.write(`${name}: SKIPPED, nothing was checked: ${error.message}\n`)
    return undefined
  }
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

function lastLines(error: unknown): string {
  const { stderr = '', message = '' } = error as { readonly stderr?: string; readonly message?: string }
  return (stderr.trim() || message).slice(-600).replace(/\s+/g, ' ')
}
