// The program of a package, and the tray app of a clone: Electron starts this file. Without words it shows the shell around a
// gateway; with words it is the command line, because a packaged app cannot run as Node.

import { app } from 'electron'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readConfig, VERSION, type Config } from '#config/config.ts'
import { homeFolder } from '#config/home-folder.ts'
import { RESOURCES } from '#config/program-files.ts'
import { chooseHost } from '#hosts/desktop-choice.ts'
import { gatewayHost } from '#hosts/gateway-host.ts'
import { commandWords, loginCommand, ownCommand, ownFlags } from '#shell/arguments.ts'
import { startKeychainUtility } from '#shell/keychain-child.ts'
import { runPlainly } from '#shell/plain-run.ts'
import { buildOf, ownAppImage, readRelease } from '#shell/release.ts'
import { startShell, type ShellOptions } from '#shell/shell.ts'
import type { Updater } from '#shell/updates.ts'

/** More than an answer may take to end and be written down. */
const END_SLACK_MS = 20_000
/** What Windows files notifications under. The installer gives its shortcut the same name, and nothing is shown where they differ. */
const APP_USER_MODEL_ID = 'farebox'
/** A child of Node cannot be started where running as Node is switched off. */
const SURROUNDINGS = {
  startKeychain: startKeychainUtility,
  tools: { home: homeFolder(), env: process.env, platform: process.platform },
} as const

// Electron is ready only when this file has been run, so nothing here may wait for that.
start(process.argv.slice(app.isPackaged ? 1 : 2)).catch((error: unknown) => {
  // A message may quote more than is to be said; a code is a word of the system.
  note(`Farebox could not start (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'}).`)
  app.exit(1)
})

function start(given: readonly string[]): Promise<void> {
  // Whatever is written is for this user only, as for every other way to start.
  process.umask(0o077)
  const words = commandWords(given)
  if (words === undefined) return showDesktop(given)
  const [verb, ...flags] = words
  if (verb !== 'start') return runPlainly(() => runCommand(words))
  if (flags.includes('--help') || flags.includes('-h')) return runPlainly(() => runCommand(['help']))
  const { env, platform } = process
  const choice = chooseHost({ argv: flags, env, platform, isRoot: process.getuid?.() === 0 })
  return choice.type === 'desktop' ? showDesktop(flags) : runPlainly(() => runGateway(flags, choice.why))
}

async function runCommand(words: string[]): Promise<number> {
  const { main } = await import('#hosts/command.ts')
  return main(words, SURROUNDINGS)
}

/** A gateway that runs ends by a signal. */
async function runGateway(flags: string[], whyNoTray: string | undefined): Promise<number | undefined> {
  const { startHeadless } = await import('#hosts/headless.ts')
  await startHeadless(flags, whyNoTray, SURROUNDINGS)
  return process.exitCode === undefined ? undefined : Number(process.exitCode)
}

async function showDesktop(given: readonly string[]): Promise<void> {
  // Whoever read what is written here may go away, such as the terminal that Farebox was started from.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const { platform, env } = process
  const read = readConfig({ argv: ownFlags(given), env, platform, homeDir: homeFolder() })
  if (read.type === 'mistake') {
    note(read.message)
    return app.exit(1)
  }
  const { config } = read
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  // What Chromium keeps, and with it the lock that makes a second start show the first one, belongs to the data folder.
  app.setPath('userData', join(config.dataDir, 'window'))
  if (platform === 'win32') app.setAppUserModelId(APP_USER_MODEL_ID)
  await startShell({
    ...(await programOptions(given, config)),
    host: gatewayHost(config, note, SURROUNDINGS),
    dataDir: config.dataDir,
    platform,
    argv: given,
    endMs: config.shutdownNoticeMs + config.shutdownGraceMs + END_SLACK_MS,
    nowMs: Date.now,
    note,
  })
}

type ProgramOptions = 'iconsDir' | 'wordsDir' | 'loginCommand' | 'command' | 'build' | 'updater' | 'externalPlaces'

/** What depends on where this program lies, and on whether it is a clone or a package, and of which kind. */
async function programOptions(
  given: readonly string[],
  { dataDir }: Config,
): Promise<Pick<ShellOptions, ProgramOptions>> {
  const { env, execPath, platform, resourcesPath } = process
  const { isPackaged } = app
  const appPath = app.getAppPath()
  const appImage = isPackaged ? ownAppImage(env, execPath) : undefined
  const release = isPackaged ? readRelease(join(appPath, 'resources', 'release.json')) : undefined
  const packageType = isPackaged ? readPackageType(resourcesPath) : undefined
  const build = buildOf({ platform, isPackaged, version: VERSION, release, appImage, packageType })
  let updater: Updater | undefined
  if (release !== undefined) {
    const { feedUpdater } = await import('#shell/feed-updater.ts')
    updater = feedUpdater({ release, build, arch: process.arch, appImage })
  }
  return {
    iconsDir: join(appPath, 'resources', 'icons'),
    wordsDir: fileURLToPath(new URL('tray', RESOURCES)),
    loginCommand: loginCommand({ given, dataDir, execPath, isPackaged, appPath, appImage }),
    command: ownCommand({ isPackaged, platform, appImage, resourcesPath }),
    build,
    updater,
    externalPlaces: release === undefined ? [] : [release.place],
  }
}

/** What a deb or an rpm has beside the program, written by whoever made the package. */
function readPackageType(resourcesPath: string): string | undefined {
  try {
    return readFileSync(join(resourcesPath, 'package-type'), 'utf8').trim()
  } catch {
    // No other package has that file.
    return undefined
  }
}

function note(line: string): void {
  process.stderr.write(`${line}\n`)
}
