// A data folder on a file system that cannot be written, as on a snapshot or a disk that was mounted for a look. Linux only, and not
// inside every container.

import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { endProcesses, farebox, startProcess, temporaryFolder, type Place } from '../support/process.ts'

const NAMESPACES = ['--user', '--map-root-user', '--mount']

afterEach(endProcesses)

function readOnly(folder: string): string {
  return `mount --bind '${folder}' '${folder}' && mount -o remount,ro,bind '${folder}'`
}

/** Runs a command where this folder cannot be written. */
function placeWith(folder: string): Place {
  return { root: '', command: ['unshare', ...NAMESPACES, 'sh', '-c', `${readOnly(folder)} && exec "$@"`, 'sh'] }
}

const canMount = spawnSync('unshare', [...NAMESPACES, 'sh', '-c', readOnly('/mnt')]).status === 0

describe.skipIf(!canMount)('a data folder that is read-only', () => {
  it('has its books checked, with what is still in the log', { timeout: 120_000 }, async () => {
    const folder = await temporaryFolder()
    const dataDir = join(folder, 'data')
    const program = await startProcess({ dataDir })
    for (const name of ['one', 'two', 'three']) {
      await program.admin.call('createKey', { body: { name, package: 'starter' } })
    }
    await program.admin.call('topUpKey', { id: 'two', body: { credits: 5 } })
    const expected = { keys: 4, entries: 5, open_holds: 0 }
    program.kill('SIGKILL')
    await program.exited
    expect(statSync(join(dataDir, 'farebox.db-wal')).size).toBeGreaterThan(0)
    const closed = join(folder, 'closed')
    cpSync(dataDir, closed, { recursive: true })
    await (await startProcess({ dataDir: closed })).stop()
    const cut = join(folder, 'cut')
    cpSync(dataDir, cut, { recursive: true })
    truncateSync(join(cut, 'farebox.db-wal'), Math.floor(statSync(join(cut, 'farebox.db-wal')).size / 2))

    for (const sound of [dataDir, closed]) {
      for (const name of ['instance.json', 'farebox.db-shm']) rmSync(join(sound, name), { force: true })
      const before = readdirSync(sound).toSorted()
      const verified = await farebox(['ledger', 'verify', '--json'], { dataDir: sound, place: placeWith(sound) })
      expect(verified.stderr).toBe('')
      expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, problems: [], ...expected })
      expect(verified.code).toBe(0)
      expect(readdirSync(sound).toSorted()).toEqual(before)
    }
    const damaged = await farebox(['ledger', 'verify', '--json'], { dataDir: cut, place: placeWith(cut) })
    expect(damaged.code).toBe(1)
    expect(damaged.stdout).toContain('are gone')
  })
})
