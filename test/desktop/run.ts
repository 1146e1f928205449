// Runs the tests that need the real Electron: `npm run test:desktop`. They need its runtime, which the first `npm start` on a machine
// with a display fetches, and a display, for which xvfb serves. Where something is missing they do not run, which is said loudly and
// is a failure, unless `--allow-missing` says that this machine is not expected to have it.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { installedRuntime } from '#hosts/desktop-runtime.ts'
import { build } from '../support/built.ts'

const MISSING = 1

process.exitCode = run()

function run(): number {
  const runtime = installedRuntime(process.env)
  if (runtime.type === 'unavailable') return notRun(runtime.why)
  const needsDisplay = process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']
  if (needsDisplay && spawnSync('xvfb-run', ['--help']).error !== undefined)
    return notRun('there is no display and no xvfb-run')
  for (const part of ['main', 'dashboard'] as const) build(part)
  const vitest = join(import.meta.dirname, '..', '..', 'node_modules', 'vitest', 'vitest.mjs')
  const config = join(import.meta.dirname, 'vitest.config.ts')
  const command = [process.execPath, vitest, 'run', '--config', config]
  const [program = '', ...args] = needsDisplay ? ['xvfb-run', '-a', ...command] : command
  const { status } = spawnSync(program, args, {
    stdio: 'inherit',
    env: { ...process.env, FAREBOX_TEST_ELECTRON: runtime.program },
  })
  return status ?? 1
}

function notRun(why: string): number {
  process.stdout.write(`not run: the tests on the real Electron, because ${why}\n`)
  return process.argv.includes('--allow-missing') ? 0 : MISSING
}
