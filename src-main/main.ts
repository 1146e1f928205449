// The host with a display: Electron starts this file, it reads the settings and shows the shell around a gateway.

import { app } from 'electron'
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { readConfig, VERSION } from '#main/config.ts'
import { gatewayHost } from '#main/gateway-host.ts'
import { loginCommand, ownFlags } from '#shell/arguments.ts'
import { startShell } from '#shell/shell.ts'

/** More than an answer may take to end and be written down. */
const END_SLACK_MS = 20_000

// Electron is ready only when this file has been run, so nothing here may wait for that.
start().catch(() => {
  note('Farebox could not start.')
  app.exit(1)
})

async function start(): Promise<void> {
  // Whatever is written is for this user only, as for every other way to start.
  process.umask(0o077)
  const { platform, env, execPath } = process
  const given = process.argv.slice(app.isPackaged ? 1 : 2)
  const read = readConfig({ argv: ownFlags(given), env, platform, homeDir: homedir() })
  if (read.type === 'mistake') {
    note(read.message)
    return app.exit(1)
  }
  const { config } = read
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  // What Chromium keeps, and with it the lock that makes a second start show the first one, belongs to the data folder.
  app.setPath('userData', join(config.dataDir, 'window'))
  app.setAppUserModelId('farebox')
  await startShell({
    host: gatewayHost(config, note),
    dataDir: config.dataDir,
    iconsDir: join(app.getAppPath(), 'resources', 'icons'),
    platform,
    argv: given,
    loginCommand: loginCommand({
      given,
      dataDir: config.dataDir,
      execPath,
      isPackaged: app.isPackaged,
      appPath: app.getAppPath(),
      appImage: env['APPIMAGE'],
    }),
    command: app.isPackaged ? 'farebox' : 'npm run --silent farebox --',
    // What packages are made of says what they are; a clone is not updated by itself.
    build: { isPackaged: app.isPackaged, isSigned: false, kind: 'other', version: VERSION },
    updater: undefined,
    externalPlaces: [],
    endMs: config.shutdownGraceMs + END_SLACK_MS,
    nowMs: Date.now,
    note,
  })
}

function note(line: string): void {
  process.stderr.write(`${line}\n`)
}
