// The Electron runtime of a clone: where it is, how it is fetched at its first use, and how it is run. Only loaded where there is a
// display. It is not among the files that npm installs; Electron's own installer brings it.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Environment } from '#config/settings.ts'
import { ROOT_DIR } from '#config/program-files.ts'

export type Runtime =
  | { readonly type: 'ready'; readonly program: string }
  /** `why` completes "without a tray icon: …". */
  | { readonly type: 'unavailable'; readonly why: string }

export type RuntimeOptions = {
  readonly env: Environment
  /** The folder of the package `electron`; undefined where it is not installed. */
  readonly packageDir?: string | undefined
  readonly print: (line: string) => void
}

/** Of a slow connection; the archive has some 120 MB. */
const FETCH_LIMIT_MS = 15 * 60_000
const CHECK_LIMIT_MS = 20_000

/** What the tray app shows. The package of npm comes without it. */
const TRAY_ICONS = join(ROOT_DIR, 'resources', 'icons', 'tray')

/** The runtime, fetched if it is not there yet. Never throws. */
export async function findRuntime(options: RuntimeOptions): Promise<Runtime> {
  const packageDir = 'packageDir' in options ? options.packageDir : electronPackage()
  if (packageDir === undefined) return { type: 'unavailable', why: 'Electron is not installed here' }
  const program = programOf(packageDir, options.env) ?? (await fetchRuntime(packageDir, options))
  if (program === undefined) {
    return { type: 'unavailable', why: 'Electron could not be fetched. It is tried again with the next start' }
  }
  return checkRuntime(program, options.env)
}

/** The runtime where it is there already. Nothing is fetched. */
export function installedRuntime(env: Environment): Runtime {
  const packageDir = electronPackage()
  const program = packageDir === undefined ? undefined : programOf(packageDir, env)
  if (program === undefined) return { type: 'unavailable', why: 'the Electron runtime is not here' }
  return checkRuntime(program, env)
}

/** Runs the shell to its end, with this process's terminal, and resolves to its exit code. */
export function runDesktop(program: string, argv: readonly string[]): Promise<number> {
  const child = spawn(program, [ROOT_DIR, ...argv], { stdio: 'inherit' })
  const pass = (signal: NodeJS.Signals) => void child.kill(signal)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, pass)
  return new Promise((resolve) => {
    child.on('error', () => resolve(1))
    child.on('exit', (code) => resolve(code ?? 1))
  })
}

function electronPackage(): string | undefined {
  if (!existsSync(TRAY_ICONS)) return undefined
  try {
    return dirname(createRequire(join(ROOT_DIR, 'package.json')).resolve('electron/package.json'))
  } catch {
    // An installation without what is for development only.
    return undefined
  }
}

/** As Electron's package finds it: `path.txt` is written last, when everything is unpacked. */
function programOf(packageDir: string, env: Environment): string | undefined {
  const pathFile = join(packageDir, 'path.txt')
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8') : undefined
  const override = env['ELECTRON_OVERRIDE_DIST_PATH']
  if (override !== undefined && override !== '') return join(override, name ?? 'electron')
  const program = name === undefined ? undefined : join(packageDir, 'dist', name)
  return program !== undefined && existsSync(program) ? program : undefined
}

async function fetchRuntime(packageDir: string, { env, print }: RuntimeOptions): Promise<string | undefined> {
  print('Fetching Electron for the tray icon, once, about 120 MB…')
  const installer = spawn(process.execPath, [join(packageDir, 'install.js')], {
    // Its progress and its errors are for who develops Electron; one line of ours says how it went.
    stdio: 'ignore',
    timeout: FETCH_LIMIT_MS,
  })
  const code = await new Promise<number | null>((resolve) => {
    installer.on('error', () => resolve(1))
    installer.on('exit', resolve)
  })
  return code === 0 ? programOf(packageDir, env) : undefined
}

/** Runs it once as plain Node: libraries of the system may be missing. */
function checkRuntime(program: string, env: Environment): Runtime {
  const { status } = spawnSync(program, ['--version'], {
    env: { ...env, ELECTRON_RUN_AS_NODE: '1' },
    stdio: 'ignore',
    timeout: CHECK_LIMIT_MS,
  })
  if (status !== 0) return { type: 'unavailable', why: 'Electron does not run on this machine' }
  return { type: 'ready', program }
}
