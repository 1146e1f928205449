// Puts a package for Linux together as a release does, around a stand-in for Electron, and runs what is in it.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { build } from './built.ts'
import { writeElectronDistribution } from './electron-distribution.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/**
 * What runs in a process of its own: electron-builder with the configuration of this project. What a deb and an rpm are made of is
 * written down where the tool that makes them would be run; that tool is a download.
 */
const BUILDER = `
  import { readFileSync, writeFileSync } from 'node:fs'
  import { Arch, build, Platform } from 'electron-builder'
  const [electronDist, output] = process.argv.slice(1)
  const installers = []
  await build({
    targets: Platform.LINUX.createTarget(['dir', 'deb', 'rpm'], Arch.x64),
    publish: 'never',
    config: { electronDist, directories: { output } },
    effectiveOptionComputed: async ([args, desktopFile]) => {
      installers.push({
        args,
        desktopEntry: readFileSync(desktopFile, 'utf8'),
        afterInstall: readFileSync(args[args.indexOf('--after-install') + 1], 'utf8'),
      })
      return true
    },
  })
  writeFileSync(output + '/installers.json', JSON.stringify(installers))`

type Installer = { readonly args: readonly string[]; readonly desktopEntry: string; readonly afterInstall: string }

export type Package = {
  /** The folder that is installed. */
  readonly dir: string
  readonly resources: string
  /** The deb and the rpm. */
  readonly installers: readonly Installer[]
}

/** Builds the code and the package below a folder. */
export function buildPackage(folder: string): Package {
  build('main')
  build('dashboard')
  const electron = join(folder, 'electron')
  writeElectronDistribution(electron)
  const output = join(folder, 'packages')
  run('--input-type=module', '-e', BUILDER, electron, output)
  const dir = join(output, 'linux-unpacked')
  const installers = JSON.parse(readFileSync(join(output, 'installers.json'), 'utf8')) as Installer[]
  return { dir, resources: join(dir, 'resources'), installers }
}

function run(...args: readonly string[]): void {
  // What the test runner sets for itself would change what is built.
  const { NODE_ENV: _mode, VITEST: _runner, ...env } = process.env
  const options = { cwd: ROOT, env, encoding: 'utf8', timeout: 170_000 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
  if (status !== 0) throw new Error(`node ${args[0]} ended with ${status}:\n${stdout}\n${stderr}`)
}

export type RunningPackage = {
  readonly child: ChildProcess
  /** What it said when it was ready. */
  readonly ready: Readonly<Record<string, unknown>>
  readonly exited: Promise<number | null>
}

/** Runs the gateway of an unpacked package on plain Node, and comes back when it listens. */
export async function startPackage(
  app: string,
  { dataDir, port }: { dataDir: string; port: number },
): Promise<RunningPackage> {
  const flags = ['--headless', '--json', '--port', String(port), '--data-dir', dataDir]
  const args = [join(app, 'dist', 'main', 'farebox.js'), 'start', ...flags]
  const child = spawn(process.execPath, args, { env: cleanEnv(dataDir), stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  let errors = ''
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()))
  const line = await Promise.race([
    new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve)),
    exited.then((status) => Promise.reject(new Error(`it ended with ${status}: ${errors}`))),
  ])
  return { child, ready: JSON.parse(line) as RunningPackage['ready'], exited }
}

/** Runs a command of an unpacked package on plain Node. */
export function runPackaged(app: string, dataDir: string, words: readonly string[]) {
  const args = [join(app, 'dist', 'main', 'farebox.js'), ...words, '--data-dir', dataDir]
  return spawnSync(process.execPath, args, { env: cleanEnv(dataDir), encoding: 'utf8' })
}

/** Runs the packaged app on the double of Electron, until it exits; what a test does meanwhile stands in `script`. */
const ON_DOUBLE = `
  const [double, main, script, ...words] = process.argv.slice(1)
  import(double).then(async ({ resetElectron }) => {
    const appPath = main.replace(/.dist.main.desktop\\.js$/, '')
    const world = resetElectron({ isPackaged: true, appData: process.env.HOME, appPath })
    process.argv = ['/opt/Farebox/farebox-desktop', ...words]
    await import(main)
    world.ready()
    const until = async (isSo) => { while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20)) }
    const items = () => world.trays[0]?.desktopMenu?.items ?? []
    await new (Object.getPrototypeOf(async () => {}).constructor)('world', 'items', 'until', script)(world, items, until)
    await until(() => world.exits.length > 0)
    process.exit(world.exits[0])
  })`

/** Runs the program of an unpacked package, as Electron would, on the double of Electron. */
export function runOnDouble(app: string, { dataDir, words, script = '', env = {}, input = '' }: DoubleRun) {
  const electron = join(app, 'node_modules', 'electron')
  const double = pathToFileURL(join(ROOT, 'test', 'support', 'electron-double.ts')).href
  mkdirSync(electron, { recursive: true })
  writeFileSync(join(electron, 'package.json'), '{"type":"module","exports":"./index.js"}')
  writeFileSync(join(electron, 'index.js'), `export * from '${double}'`)
  const args = ['-e', ON_DOUBLE, double, join(app, 'dist', 'main', 'desktop.js'), script, ...words]
  return spawnSync(process.execPath, args, {
    env: { ...cleanEnv(dataDir), ...env },
    input,
    encoding: 'utf8',
    timeout: 30_000,
  })
}

export type DoubleRun = {
  readonly dataDir: string
  readonly words: readonly string[]
  /** The body of an asynchronous function with `world`, the double's, `items`, the menu's, and `until`, which waits. */
  readonly script?: string
  readonly env?: Readonly<Record<string, string>>
  /** What it reads from standard input. */
  readonly input?: string
}

function cleanEnv(dataDir: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '', HOME: dataDir, FAREBOX_SECRETS: 'vault' }
}
