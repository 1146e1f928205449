// Packages from PyPI for what tests run in Python: in a folder outside the project which later runs share.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hashOf, packagesFolder } from './packages-folder.ts'

/** The registry could not give a package. It says nothing about Farebox, so that a caller may want to go on without it. */
export class NotInstalled extends Error {}

export const INSTALL_LIMIT_MS = 540_000
const run = promisify(execFile)

/**
 * - `--no-deps`: pip 23.2 would look for the newest version of what is asked for with an extra, which has no hash in the file.
 * - `--only-binary`: what is built here is built by the newest tools that there are on that day.
 */
const RULES = [
  '--require-hashes',
  '--no-deps',
  '--only-binary=:all:',
  '--quiet',
  '--disable-pip-version-check',
  '--no-compile',
]

/**
 * Installs the packages of a requirements file, once for each text of it, and resolves to their folder. The file names everything that
 * there is to install, each with its hash, so that what is released tomorrow changes nothing. Throws `NotInstalled`.
 */
export async function installRequirements(name: string, file: string): Promise<string> {
  const folder = join(packagesFolder(), `${name}-${hashOf(await readFile(file, 'utf8'))}`)
  // The mark is written last, so that an interrupted installation is not taken for one.
  const mark = join(folder, 'installed')
  if (existsSync(mark)) return folder
  process.stdout.write(`installing into ${folder}\n`)
  // Two runs may install at the same time, and neither may look into what the other has not finished.
  const made = `${folder}.${process.pid}`
  await rm(made, { recursive: true, force: true })
  await mkdir(made, { recursive: true })
  try {
    await run('python3', ['-m', 'pip', 'install', ...RULES, '--target', made, '-r', file], {
      timeout: INSTALL_LIMIT_MS,
    })
  } catch (error) {
    await rm(made, { recursive: true, force: true })
    throw new NotInstalled(`pip could not install ${file}: ${lastLines(error)}`)
  }
  await writeFile(join(made, 'installed'), '')
  if (!existsSync(mark)) await rm(folder, { recursive: true, force: true })
  // Whoever was first has the same.
  await rename(made, folder).catch(() => rm(made, { recursive: true, force: true }))
  return folder
}

/** The same, or undefined where the packages cannot be had. In CI that is a failure: what proves nothing must not look like a proof. */
export async function requirementsIfThere(name: string, file: string): Promise<string | undefined> {
  try {
    return await installRequirements(name, file)
  } catch (error) {
    if (!(error instanceof NotInstalled) || process.env['CI'] !== undefined) throw error
    process.stdout.write(`${name}: SKIPPED, nothing was checked: ${error.message}\n`)
    return undefined
  }
}

function lastLines(error: unknown): string {
  const { stderr = '', message = '' } = error as { readonly stderr?: string; readonly message?: string }
  return (stderr.trim() || message).slice(-600).replace(/\s+/g, ' ')
}
