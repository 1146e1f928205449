// Installs the real servers from PyPI into a folder outside the project which later runs share, and makes their models there.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { GROUPS, type Group } from './packages.ts'

export type Installed = {
  /** The folder of a group's Python packages. */
  readonly python: (group: Group) => string
  /** The path of llama.cpp's own server. */
  readonly llamaServer: string
  /** The folder with the models. */
  readonly models: string
}

/** The registry could not give a package. It says nothing about Farebox, so that a caller may want to go on without it. */
export class NotInstalled extends Error {}

const INSTALL_LIMIT_MS = 540_000
const MAKE_MODELS = join(import.meta.dirname, 'make-models.py')
const run = promisify(execFile)

export async function install(groups: readonly Group[]): Promise<Installed> {
  const folder = process.env['FAREBOX_UPSTREAMS_DIR'] ?? join(tmpdir(), 'farebox-upstreams')
  const python = (group: Group) => join(folder, `${group}-${hashOf(JSON.stringify(GROUPS[group]))}`)
  for (const group of new Set<Group>(['llama', ...groups])) await installGroup(group, python(group))
  const models = await makeModels(folder, python('llama'))
  return { python, models, llamaServer: await findServer(python('llama')) }
}

async function installGroup(group: Group, folder: string): Promise<void> {
  // The mark is written last, so that an interrupted installation is not taken for one.
  const mark = join(folder, 'installed')
  if (existsSync(mark)) return
  process.stdout.write(`installing ${group} into ${folder}\n`)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const packages = Object.entries<string>(GROUPS[group]).map(([name, version]) => `${name}==${version}`)
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-compile', '--target', folder]
  try {
    await run('python3', [...pip, ...packages], { timeout: INSTALL_LIMIT_MS })
  } catch (error) {
    throw new NotInstalled(`pip could not install ${packages.join(' ')}: ${lastLines(error)}`)
  }
  await writeFile(mark, '')
}

/** Models are made anew when the script that makes them changes. */
async function makeModels(folder: string, python: string): Promise<string> {
  const models = join(folder, `models-${hashOf(await readFile(MAKE_MODELS, 'utf8'))}`)
  const mark = join(models, 'made')
  if (existsSync(mark)) return models
  await mkdir(models, { recursive: true })
  const env = { ...process.env, PYTHONPATH: python, OPENBLAS_NUM_THREADS: '1' }
  await run('python3', [MAKE_MODELS, models], { env, timeout: INSTALL_LIMIT_MS })
  await writeFile(mark, '')
  return models
}

async function findServer(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const found = files.filter((entry) => entry.isFile() && entry.name === 'llama-server')
  // The package has a script of this name as well, which starts the program beside its libraries.
  const program = found.find(({ parentPath }) => !parentPath.endsWith('/bin')) ?? found[0]
  if (program === undefined) throw new NotInstalled(`there is no llama-server in ${folder}`)
  return join(program.parentPath, program.name)
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

function lastLines(error: unknown): string {
  const { stderr = '', message = '' } = error as { readonly stderr?: string; readonly message?: string }
  return (stderr.trim() || message).slice(-600).replace(/\s+/g, ' ')
}
