// Secrets beside a backup: from one machine to another, with a passphrase and no other way.

import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { endProcesses, farebox, startProcess, temporaryFolder } from '../support/process.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const PASSPHRASE = 'correct horse battery staple'

let upstream: Upstream
let folder: string

beforeEach(async () => {
  upstream = await startUpstream()
  folder = await temporaryFolder()
})
afterEach(async () => {
  await endProcesses()
  await upstream.close()
})

it('come along to another machine, and calls go on there', { timeout: 240_000 }, async () => {
  const here = join(folder, 'here')
  const there = join(folder, 'there')
  const file = join(folder, 'monday.db')
  const passphrase = join(folder, 'passphrase')
  await writeFile(passphrase, `${PASSPHRASE}\n`)
  const program = await startProcess({ dataDir: here })
  await setUpUpstream(program, upstream.url)
  const { key } = await program.admin.call('createKey', { body: { name: 'mine', package: 'plenty' } })

  const short = await farebox(['backup', file, '--passphrase-stdin'], { dataDir: here, stdin: 'short' })
  expect(short.code).toBe(2)
  await expect(stat(file)).rejects.toThrow('ENOENT')

  const made = await farebox(['backup', file, '--passphrase-file', passphrase], { dataDir: here })
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(made.stdout).toContain(`Secrets of 1 providers, encrypted: ${file}.secrets`)
  for (const name of [file, `${file}.secrets`]) {
    const bytes = await readFile(name)
    expect(bytes.includes('sk-upstream-secret')).toBe(false)
    expect(bytes.includes(PASSPHRASE)).toBe(false)
  }
  const { entries } = await program.admin.call('listAudit', {})
  expect(JSON.stringify(entries)).toContain('exportSecrets')
  expect(JSON.stringify(entries)).not.toContain('horse')
  await program.stop()

  expect(await farebox(['restore', file], { dataDir: there })).toMatchObject({ code: 0 })
  const other = await startProcess({ dataDir: there })
  const target = { url: other.url, key }
  expect((await postChat(target)).status).toBe(502)
  const wrong = ['secret', 'import', `${file}.secrets`, '--passphrase-stdin']
  const refused = await farebox(wrong, { dataDir: there, stdin: 'incorrect horse battery' })
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('does not open with this passphrase') })
  const right = ['secret', 'import', `${file}.secrets`, '--passphrase-file', passphrase]
  expect(await farebox(right, { dataDir: there })).toMatchObject({ code: 0, stdout: 'Imported: upstream.\n' })
  await expect.poll(async () => (await postChat(target)).status, { timeout: 20_000 }).toBe(200)
  expect(upstream.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-upstream-secret')

  // At another address it would be somebody else's.
  const moved = { base_url: upstream.url.replace('127.0.0.1', 'localhost') }
  await other.admin.call('editProvider', { id: 'upstream', body: moved })
  const again = await farebox(right, { dataDir: there })
  expect(again.stdout).toBe('No provider got a secret. No provider here has this name and address: upstream.\n')
})
