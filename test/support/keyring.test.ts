// The keyring of tests comes up where its programs fail once in a while. They are stand-ins here, which fail as often as they are told.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startKeyring } from './keyring.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-keyring-test-'))
  for (const name of ['bin', 'tmp']) mkdirSync(join(folder, name))
  vi.stubEnv('PATH', `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`)
  vi.stubEnv('TMPDIR', join(folder, 'tmp'))
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

function program(name: string, script: string): void {
  const path = join(folder, 'bin', name)
  writeFileSync(path, `#!/bin/sh\ncd '${folder}'\n${script}\n`)
  chmodSync(path, 0o755)
}

/** Programs that write down their processes, and that work from one of their starts on. */
function programs(from: { readonly bus: number; readonly daemon: number }): void {
  const worksFrom = (name: string, start: number) =>
    `echo $$ >> ${name}\n[ $(wc -l < ${name}) -ge ${start} ] || exit 1\n`
  program('dbus-daemon', `${worksFrom('bus', from.bus)}echo unix:path=nowhere\nexec sleep 600`)
  program('gnome-keyring-daemon', `${worksFrom('daemon', from.daemon)}touch up\nexec sleep 600`)
  program('gdbus', `[ -e up ] || exit 1\necho '(<false>,)'`)
}

function started(name: string): number[] {
  const path = join(folder, name)
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map(Number) : []
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // There is no such process any more.
    return false
  }
}

function expectNothingLeft(): void {
  expect([...started('bus'), ...started('daemon')].filter(isRunning)).toEqual([])
  expect(readdirSync(join(folder, 'tmp'))).toEqual([])
}

describe.skipIf(process.platform === 'win32')('the keyring of tests', () => {
  it.each([
    ['its session', { bus: 3, daemon: 1 }, { bus: 3, daemon: 1 }],
    ['its daemon', { bus: 1, daemon: 3 }, { bus: 3, daemon: 3 }],
    ['one and then the other', { bus: 2, daemon: 2 }, { bus: 3, daemon: 2 }],
  ])('comes up where %s failed twice, and leaves nothing of what failed', async (_what, from, expected) => {
    programs(from)
    const keyring = await startKeyring()
    expect({ bus: started('bus').length, daemon: started('daemon').length }).toEqual(expected)
    expect([...started('bus'), ...started('daemon')].filter(isRunning)).toHaveLength(2)
    expect(readdirSync(join(folder, 'tmp'))).toHaveLength(1)
    await keyring.close()
    expectNothingLeft()
  })

  it.each([
    ['its session', { bus: 4, daemon: 1 }, 'the D-Bus session did not start'],
    ['its daemon', { bus: 1, daemon: 4 }, 'gnome-keyring did not start'],
  ])('says so where %s failed three times', async (_what, from, message) => {
    programs(from)
    await expect(startKeyring()).rejects.toThrow(message)
    expect(Math.max(started('bus').length, started('daemon').length)).toBe(3)
    expectNothingLeft()
  })

  it('is unlocked again by the third daemon that is tried', async () => {
    programs({ bus: 1, daemon: 1 })
    const keyring = await startKeyring()
    rmSync(join(folder, 'up'))
    program(
      'gnome-keyring-daemon',
      'echo $$ >> daemon\n[ $(wc -l < daemon) -ge 4 ] || exit 1\ntouch up\nexec sleep 600',
    )
    await keyring.unlock()
    expect([started('bus').length, started('daemon').length]).toEqual([1, 4])
    await keyring.close()
    expectNothingLeft()
  })
})
