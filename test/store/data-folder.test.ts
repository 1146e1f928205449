// A data folder that is not its user's alone is refused before anything in it is opened.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { completeBooks } from '#app/whole-books.ts'
import { openApp } from '#app/open.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { checkDataDir, FILES, makeDataDir } from '#store/data-folder.ts'
import { DatabaseError } from '#store/database.ts'
import { restoreBackup } from '#store/restore.ts'
import { startFarebox, testConfig } from '../support/farebox.ts'
import { PASSWORD } from '../support/password.ts'
import { readSources } from '../support/sources.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'farebox-folder-'))
})
afterEach(() => {
  chmodSync(dataDir, 0o700)
  rmSync(dataDir, { recursive: true, force: true })
})

function refusalOf(folder = dataDir): string {
  try {
    checkDataDir(folder)
  } catch (error) {
    if (error instanceof DatabaseError && error.reason === 'unsafe') return error.message
    throw error
  }
  return ''
}

const isWindows = process.platform === 'win32'
const isRoot = process.getuid?.() === 0

describe.skipIf(isWindows)('a data folder', () => {
  it.each([0o777, 0o770, 0o720, 0o702, 0o1777, 0o2775])('with mode %o is refused, with what to do', (mode) => {
    chmodSync(dataDir, mode)
    expect(refusalOf()).toMatch(/may be written to by other users \(mode \d+\)\. .*chmod go-w .*--data-dir .*farebox$/)
  })

  it.each([0o700, 0o755, 0o750, 0o711])('with mode %o is taken', (mode) => {
    chmodSync(dataDir, mode)
    expect(refusalOf()).toBe('')
  })

  it('is taken in a folder that everybody may write to, and where it is reached by a link', () => {
    chmodSync(dataDir, 0o1777)
    const own = join(dataDir, 'farebox')
    mkdirSync(own, { mode: 0o700 })
    symlinkSync(own, join(dataDir, 'link'))
    expect([refusalOf(own), refusalOf(join(dataDir, 'link'))]).toEqual(['', ''])
  })

  it.runIf(isRoot)('of another user is refused, and so is a file of theirs', async () => {
    const { chownSync } = await import('node:fs')
    const file = join(dataDir, 'farebox.db')
    writeFileSync(file, '', { mode: 0o600 })
    chownSync(file, 12_345, 12_345)
    expect(refusalOf()).toContain('belongs to another user (12345)')
    rmSync(file)
    chownSync(dataDir, 12_345, 12_345)
    expect(refusalOf()).toContain('belongs to another user (12345)')
  })

  it('is refused by a start and by a restore, which leave it as it was', async () => {
    chmodSync(dataDir, 0o777)
    await expect(openApp(testConfig(dataDir, {}), () => undefined)).rejects.toThrow('may be written to by other users')
    const file = join(dataDir, 'backup.db')
    writeFileSync(file, 'SQLite format 3')
    const answer = restoreBackup(
      { dataDir, file, isDryRun: false, nowMs: Date.now() },
      { check: verifyLedger, complete: completeBooks },
    )
    expect(JSON.stringify(answer)).toMatch(/may be written to by other users (?!.*Stop it before)/)
    expect(existsSync(join(dataDir, 'farebox.lock'))).toBe(false)
  })
})

describe.skipIf(isWindows)('a file of a data folder', () => {
  it.each(FILES)('is refused where it is a link: %s', (name) => {
    const elsewhere = join(dataDir, 'elsewhere')
    symlinkSync(elsewhere, join(dataDir, name))
    expect(refusalOf()).toContain(`${name} is a link`)
    writeFileSync(elsewhere, '')
    expect(refusalOf()).toContain(`${name} is a link`)
  })

  it.each(FILES)('is refused where others may write to it, or it is no file: %s', (name) => {
    const path = join(dataDir, name)
    writeFileSync(path, '')
    chmodSync(path, 0o620)
    expect(refusalOf()).toContain("may be written to by other users (mode 620). Take that away: 'chmod 600'")
    chmodSync(path, 0o644)
    expect(refusalOf()).toBe('')
    rmSync(path)
    mkdirSync(path)
    expect(refusalOf()).toContain('is not a file')
  })

  it('is in the table, whichever the sources name', () => {
    const named = readSources('src-main').flatMap(({ text }) =>
      Array.from(text.matchAll(/join\((?:[\w.#]*\.)?dataDir, '([^']+\.[^']+)'\)/g), ([, name = '']) => name),
    )
    expect(named).toContain('secrets-known.json')
    expect(named.filter((name) => !FILES.includes(name))).toEqual([])
  })

  it('is in the table, whichever a gateway writes', async () => {
    const folder = join(dataDir, 'own')
    mkdirSync(folder)
    const env = { FAREBOX_METRICS: 'true', FAREBOX_SECRETS: 'vault' }
    const farebox = await startFarebox({ dataDir: folder, env })
    const base_url = 'http://127.0.0.1:9/v1'
    const provider = { name: 'one', dialect: 'chat-completions', base_url, network: 'local', secret: 'sk-one' } as const
    await farebox.admin.call('addProvider', { body: provider })
    await farebox.admin.call('addMember', { body: { name: 'ada', role: 'administrator', password: PASSWORD } })
    await farebox.admin.call('setLan', { body: { port: 0, address: '127.0.0.2' } })
    const written = () => readdirSync(folder, { withFileTypes: true }).filter((entry) => !entry.isDirectory())
    const seen = written().map(({ name }) => name)
    await farebox.close()
    expect(seen).toEqual(expect.arrayContaining(['farebox.db', 'secrets.enc', 'vault.key', 'lan-key.pem']))
    const left = existsSync(folder) ? written().map(({ name }) => name) : []
    expect([...seen, ...left].filter((name) => !FILES.includes(name))).toEqual([])
  })

  it('leaves files of others alone', () => {
    symlinkSync('/nowhere', join(dataDir, 'notes.txt'))
    expect(refusalOf()).toBe('')
  })
})

describe('a data folder that is not there yet', () => {
  it('is made with those above it, for its user alone', () => {
    const folder = join(dataDir, 'one', 'two')
    makeDataDir(folder)
    expect([statSync(join(dataDir, 'one')).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o700, 0o700])
    makeDataDir(folder)
  })

  it.runIf(process.platform === 'linux')('is refused with a sentence where none can be made', () => {
    writeFileSync(join(dataDir, 'file'), '')
    for (const folder of ['/proc/farebox', '/proc/farebox/below', join(dataDir, 'file', 'below')]) {
      expect(() => makeDataDir(folder), folder).toThrow(/Choose another one with --data-dir\.$/)
    }
    expect(refusalOf(join(dataDir, 'file'))).toContain('is not a folder')
  })
})
