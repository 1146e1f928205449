// Names over HTTP: what cannot be seen is refused with the field that it is in, and what was stored before that was so stays.

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readInstance } from '#cli/client.ts'
import { setUpUpstream, startFarebox, type Farebox } from '../support/farebox.ts'
import { expectError } from './support.ts'

let farebox: Farebox

beforeEach(async () => {
  farebox = await startFarebox()
  await setUpUpstream(farebox, 'http://127.0.0.1:9')
})

afterEach(async () => {
  await farebox.close()
})

async function send(method: string, path: string, body: object): Promise<Response> {
  const token = (await readInstance(farebox.dataDir))?.token ?? ''
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return fetch(farebox.url + path, { method, headers, body: JSON.stringify(body) })
}

it.each([
  ['a key', '/api/keys', { name: 'a\u202eb', package: 'plenty' }, 'name'],
  ['the owner of a key', '/api/keys', { name: 'a', package: 'plenty', owner: 'a\u200bb' }, 'owner'],
  ['a package', '/api/packages', { name: 'a\u2028b', type: 'topup' }, 'name'],
  ['a member', '/api/members', { name: 'a\u{e0041}b' }, 'name'],
  ['an invited member', '/api/invites', { name: 'a\u3164b' }, 'name'],
  ['a provider', '/api/providers', { name: 'a\ud800b', dialect: 'demo' }, 'name'],
  [
    'what a provider calls a model',
    '/api/models',
    { id: 'm', context_window: 9, targets: [{ provider: 'upstream', model: 'a\u200db' }] },
    'targets.0.model',
  ],
  [
    'a displayed name',
    '/api/models',
    { id: 'm', display_name: 'a\u2066b', context_window: 9, targets: [{ provider: 'upstream', model: 'a' }] },
    'display_name',
  ],
])('refuses %s that has what cannot be seen', async (_what, path, body, param) => {
  const response = await send('POST', path, body)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { param } })
})

it('refuses it in a reason, which the ledger keeps for good', async () => {
  const { id } = await farebox.admin.call('createKey', { body: { name: 'one', package: 'plenty' } })
  await expectError(await send('POST', `/api/keys/${id}/top-up`, { credits: 1, reason: 'a\u202eb' }), 400, {
    param: 'reason',
  })
})

it('goes on to show, find, move and revoke what was stored before', async () => {
  const { id } = await farebox.admin.call('createKey', { body: { name: 'old', package: 'plenty' } })
  await farebox.stop()
  const db = new Database(join(farebox.dataDir, 'farebox.db'))
  db.prepare('UPDATE key SET name = ?, owner = ? WHERE id = ?').run('o\u200bld', 'An\u202ena', id)
  db.prepare('UPDATE package SET name = ?').run('plen\u200bty')
  db.close()
  farebox = await startFarebox({ dataDir: farebox.dataDir })
  const { admin } = farebox
  expect(await admin.call('listKeys', {})).toMatchObject([{ id, name: 'o\u200bld', owner: 'An\u202ena' }])
  expect(await admin.call('usage', { query: { key: 'o\u200bld' } })).toEqual({ usage: [], next: null })
  await admin.call('createKey', { body: { name: 'new', package: 'plen\u200bty' } })
  expect(await admin.call('revokeKey', { id: 'o\u200bld' })).toMatchObject({ id, status: 'revoked' })
})
