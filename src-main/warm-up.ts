// Runs Farebox once on a folder that is thrown away, so that the compile cache is filled before the first real start. See
// launch.mjs. It listens nowhere.

import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApp } from '#app/app.ts'
import { readConfig } from '#config/config.ts'
import { Tokenizer } from '#provider/tokenizer.ts'
import '#hosts/command.ts'
import '#hosts/headless.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'farebox-warm-up-'))
try {
  const argv = ['--data-dir', dataDir]
  const read = readConfig({ argv, env: {}, platform: process.platform, homeDir: homedir() })
  if (read.type === 'mistake') throw new Error(read.message)
  const app = await openApp(read.config, () => undefined)
  await app.inject({ method: 'GET', path: '/api/usage', body: undefined })
  await app.close()
  const tokenizer = new Tokenizer()
  await tokenizer.count(['warm'])
  await tokenizer.close()
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}
