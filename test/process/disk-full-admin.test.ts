// Every action of administrators on a disk that is full: what answers with an error has changed nothing, neither now nor when there is
// room again, and says that the disk is full. What blocks somebody holds all the same. The table of routes says what there is.

import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { ADMIN_ROUTES, type AdminAction, type Route } from '#contract/admin-routes.ts'
import { chatModel, setUpUpstream } from '../support/farebox.ts'
import { postChat } from '../support/chat.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { canMountSmallDisk, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { plainList } from '../support/upstream-models.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { sendTo, signIn, type SendOptions } from '../support/visitor.ts'
import { PASSWORD } from '../support/password.ts'

const MAILBOX = { url: 'smtps://mail.example.com', from: 'a@example.com', to: 'b@example.com' }

let upstream: Upstream | undefined
let disk: SmallDisk | undefined

afterEach(async () => {
  await endProcesses()
  disk?.remove()
  await upstream?.close()
})

type Asked = SendOptions | ((house: House) => SendOptions)

/** Actions that write, each with what asks for a change. */
const REFUSED = {
  changePassword: ({ member }) => ({
    body: { password: 'another long password', old_password: PASSWORD },
    headers: member,
  }),
  addMember: { body: { name: 'new', password: PASSWORD } },
  editMember: { id: 'ada', body: { status: 'suspended', limits: { requests_per_minute: 5 } } },
  setMemberPassword: { id: 'ada', body: { password: 'another long password' } },
  removeMember: { id: 'gone' },
  createInvite: { body: { name: 'guest' } },
  withdrawInvite: { id: 'invited' },
  acceptInvite: ({ code }) => ({ body: { code, password: PASSWORD }, headers: {} }),
  setLan: { body: { address: '127.0.0.3', port: 0, names: ['other.example'], new_certificate: true } },
  apply: {
    body: {
      document: {
        providers: [
          { name: 'upstream', dialect: 'chat-completions', base_url: 'http://127.0.0.1:9/v1', secret: 'sk-other' },
        ],
        models: [chatModel('applied')],
        packages: [{ name: 'plenty', type: 'topup', credits: 2000 }],
      },
    },
  },
  addProvider: {
    body: { name: 'another', dialect: 'messages', base_url: 'https://api.example.com', secret: 'sk-another' },
  },
  setProviderSecret: { id: 'upstream', body: { secret: 'sk-replaced-by-a-much-longer-secret' } },
  addProviderSecret: { id: 'pooled', body: { label: 'third', secret: 'sk-third' } },
  editProviderSecret: { id: 'pooled', body: { label: 'second', weight: 3, secret: 'sk-second-and-longer' } },
  removeProviderSecret: { id: 'pooled', query: { label: 'second' } },
  addProviderModels: { id: 'listed', body: { models: ['second'], context_window: 1000 } },
  editProvider: { id: 'upstream', body: { limits: { concurrent_requests: 3 } } },
  removeProvider: { id: 'idle' },
  addDemo: {},
  exportSecrets: ({ folder }) => ({ body: { file: join(folder, 'secrets'), passphrase: 'four words or more' } }),
  importSecrets: ({ sealed }) => ({ body: { file: sealed, passphrase: 'four words or more' } }),
  addModel: { body: chatModel('added') },
  editModel: { id: 'chat', body: { display_name: 'Another name' } },
  priceModel: { id: 'chat', body: { input: 7, output: 8 } },
  enableModel: { id: 'off' },
  disableModel: { id: 'chat' },
  removeModel: { id: 'off' },
  applyPriceCard: ({ card }) => ({ body: { version: card, ids: ['gpt-6-luna'], confirm_jumps: true } }),
  addPackage: { body: { name: 'more', type: 'daily', credits: 1 } },
  editPackage: { id: 'plenty', body: { credits: 5, reset_used: true } },
  removePackage: { id: 'empty' },
  createKey: { body: { name: 'made', package: 'plenty' } },
  resumeKey: { id: 'asleep' },
  extendKey: { id: 'loaded', body: { expires: '10d' } },
  topUpKey: { id: 'loaded', body: { credits: 5, idempotency_id: 'one' } },
  adjustKey: { id: 'loaded', body: { credits: -3, reason: 'a test', idempotency_id: 'two' } },
  moveKey: { id: 'loaded', body: { package: 'empty' } },
  rotateKey: { id: 'loaded', body: { overlap: 'none' } },
  editKey: { id: 'loaded', body: { project: 'website' } },
  setProject: { id: 'website', body: { credits_per_day: 5 } },
  setSetting: { id: 'hold_wait_ms', body: { value: '5000' } },
  removeProject: { id: 'lifted' },
  setThresholds: { body: { scope: 'package', name: 'plenty', thresholds: [42] } },
  addWebhook: { body: { name: 'another', url: 'https://alerts.example.com/another' } },
  removeWebhook: { id: 'told' },
  setBillSecret: { id: 'listed', body: { secret: 'sk-admin' } },
  removeBillSecret: { id: 'listed' },
  forgetBills: { id: 'upstream' },
  addMailbox: { body: { name: 'another-mailbox', ...MAILBOX } },
  removeMailbox: { id: 'written-to' },
  backUp: ({ folder }) => ({ body: { file: join(folder, 'copy.db') } }),
  connectTool: { id: 'jetbrains', body: { seen: [] } },
} as const satisfies Partial<Record<AdminAction, Asked>>

/** Actions that block somebody, or close a door: they hold at once, and are written when there is room. */
const HOLDS = ['suspendKey', 'revokeKey', 'turnLanOff'] as const
/** Actions that write nothing that anybody would miss: sessions, tickets, a pause, and what is only asked. */
const WRITES_NOTHING = [
  'signIn',
  'signOut',
  'makeTicket',
  'pause',
  'resume',
  'testProvider',
  // What is found is added by the way of `apply`.
  'discover',
  // Secrets are in one store here.
  'moveSecrets',
  // And in no shared database.
  'resealSecrets',
  // No tool is connected.
  'disconnectTool',
  'stopScan',
  'testWebhook',
  'testMailbox',
  'checkBill',
  // Its corrections are made by the way of `adjustKey`.
  'settleBill',
  // It shares its books with no other.
  'settleGateway',
  // No provider there says what is left on its account, and no feed is named.
  'askAccountBalances',
  'fetchPriceCard',
] as const

type House = {
  readonly program: FareboxProcess
  readonly folder: string
  /** The database as it is seen from here. */
  readonly database: string
  readonly sealed: string
  readonly code: string
  readonly card: string
  readonly member: Readonly<Record<string, string>>
  readonly key: string
}

async function furnish(folder: string, small: SmallDisk, outside: string): Promise<House> {
  const program = await startProcess({ dataDir: join(folder, 'data'), place: small.place })
  const { admin } = program
  const started = (upstream = await startUpstream())
  await setUpUpstream(program, started.url, [
    { name: 'plenty', type: 'topup', credits: 1000 },
    { name: 'empty', type: 'monthly', credits: 10 },
    { name: 'unused', type: 'daily', credits: 10 },
  ])
  await admin.call('removePackage', { id: 'unused' })
  await admin.call('removeModel', { id: 'demo-embedding' })
  const place = { base_url: started.url, secret: 'sk-listed' }
  await admin.call('addProvider', { body: { name: 'listed', preset: 'openai', ...place } })
  await admin.call('setBillSecret', { id: 'listed', body: { secret: 'sk-first-admin' } })
  await admin.call('addProvider', { body: { name: 'idle', dialect: 'chat-completions', ...place } })
  await admin.call('addProvider', { body: { name: 'pooled', dialect: 'chat-completions', ...place } })
  await admin.call('addProviderSecret', { id: 'pooled', body: { label: 'second', secret: 'sk-second' } })
  started.script(plainList('gpt-6-luna', 'second'))
  await admin.call('addProviderModels', { id: 'listed', body: { models: ['gpt-6-luna'] } })
  await admin.call('priceModel', { id: 'gpt-6-luna', body: { input: 0.3, output: 0.4 } })
  await admin.call('addModel', { body: chatModel('off', { enabled: false }) })
  const { key } = await admin.call('createKey', { body: { name: 'loaded', package: 'plenty' } })
  for (const name of ['asleep', 'awake', 'doomed']) {
    await admin.call('createKey', { body: { name, package: 'plenty' } })
  }
  await admin.call('suspendKey', { id: 'asleep' })
  await admin.call('setProject', { id: 'lifted', body: { credits_per_day: 5 } })
  await admin.call('addWebhook', { body: { name: 'told', url: 'https://alerts.example.com/told' } })
  await admin.call('addMailbox', { body: { name: 'written-to', ...MAILBOX } })
  await admin.call('addMember', { body: { name: 'boss', role: 'administrator', password: PASSWORD } })
  for (const name of ['ada', 'gone', 'bad']) await admin.call('addMember', { body: { name, password: PASSWORD } })
  const invite = await admin.call('createInvite', { body: { name: 'invited' } })
  await admin.call('setLan', { body: { address: '127.0.0.2', port: 0 } })
  const sealed = join(outside, 'sealed')
  await admin.call('exportSecrets', { body: { file: sealed, passphrase: 'four words or more' } })
  const { version: card } = await admin.call('priceCard', {})
  const visitor = await signIn(program, { name: 'ada', password: PASSWORD })
  const database = join(small.place.root, folder, 'data', 'farebox.db')
  const code = invite.link.split('#invite=')[1] ?? ''
  return { program, folder, database, sealed, code, card, member: visitor.headers, key }
}

/** Takes the last room: what is given back by a first refusal, too. */
async function fillUp({ program }: House, small: SmallDisk): Promise<void> {
  for (let count = 0; count < 6; count++) {
    small.fill(0)
    await program.admin.call('editProvider', { id: 'idle', body: { on_disconnect: 'cancel' } }).catch(() => undefined)
  }
  small.fill(0)
}

function ask({ program }: House, action: AdminAction, options: SendOptions): Promise<Response> {
  const instance = JSON.parse(readFileSync(join(disk?.place.root ?? '', program.dataDir, 'instance.json'), 'utf8')) as {
    readonly token: string
  }
  return sendTo(program, action, {
    ...options,
    headers: options.headers ?? { authorization: `Bearer ${instance.token}` },
  })
}

/** Everything that can be seen: all tables but what is noted about visits, the files beside them, and what the API shows. */
async function seen({ program: { admin }, database }: House): Promise<Record<string, unknown>> {
  // SQLite does not open what lies in another mount namespace, and nothing is written meanwhile.
  const copy = join(await temporaryFolder(), 'copy.db')
  for (const end of ['', '-wal']) cpSync(database + end, copy + end)
  const db = new Database(copy)
  const tables = db
    .prepare<[], string>(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .pluck()
    .all()
    .filter((name) => !['audit_entry', 'session', 'sign_in_failure'].includes(name))
  const rows = Object.fromEntries(
    tables.map((name) => {
      const columns = name === 'member' ? memberColumns(db) : '*'
      return [name, db.prepare(`SELECT ${columns} FROM ${name} ORDER BY 1, 2`).all()]
    }),
  )
  db.close()
  const folder = join(database, '..')
  const files = readdirSync(folder)
    .filter((name) => /^(lan|secrets|vault)/.test(name) && name !== 'secrets-to-forget.json')
    .map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ])
  const members = await admin.call('listMembers', {})
  const {
    running,
    urls: _urls,
    ...lan
  } = await admin.call('showLan', {}).then((view) => ({ running: undefined, ...view }))
  return {
    rows,
    files,
    running,
    lan,
    members: members.map(({ sessions: _sessions, last_seen_at: _seen, ...member }) => member),
    keys: await admin.call('listKeys', {}),
    packages: await admin.call('listPackages', {}),
    models: await admin.call('listModels', {}),
    providers: await admin.call('listProviders', {}),
    invites: await admin.call('listInvites', {}),
    projects: await admin.call('listProjects', {}),
    settings: (await admin.call('showSettings', {})).settings,
    thresholds: await admin.call('listThresholds', {}),
    webhooks: await admin.call('listWebhooks', {}),
    mailboxes: await admin.call('listMailboxes', {}),
    ledger: await admin.call('listLedger', { query: { limit: '500' } }),
  }
}

/** When somebody was last here is no change that anybody asked for. */
function memberColumns(db: Database.Database): string {
  const columns = db.prepare<[], string>(`SELECT name FROM pragma_table_info('member')`).pluck().all()
  return columns.filter((name) => name !== 'last_seen_at_ms').join(', ')
}

async function smallHouse(): Promise<House & { readonly small: SmallDisk }> {
  const outside = await temporaryFolder()
  const folder = join(outside, 'disk')
  mkdirSync(folder)
  const small = (disk = await mountSmallDisk(folder, '12m'))
  return { ...(await furnish(folder, small, outside)), small }
}

/** There is room again: everything that waits for it is written. */
async function recover({ program }: House, small: SmallDisk): Promise<void> {
  small.clear()
  await expect.poll(async () => (await program.admin.call('status', {})).attention.join(), { timeout: 15_000 }).toBe('')
  await program.admin.call('editProvider', { id: 'idle', body: { on_disconnect: 'cancel' } })
}

it('every action that changes something is in one of the lists', () => {
  const changing = Object.entries<Route>(ADMIN_ROUTES).filter(([, { method }]) => method !== 'GET')
  const listed = [...Object.keys(REFUSED), ...HOLDS, ...WRITES_NOTHING]
  expect(listed.toSorted()).toEqual(changing.map(([action]) => action).toSorted())
})

describe.skipIf(!canMountSmallDisk)('administration on a full disk', () => {
  it('whatever is refused has changed nothing, and never does', { timeout: 240_000 }, async () => {
    const house = await smallHouse()
    const { small } = house
    await fillUp(house, small)
    const before = await seen(house)
    const answers: Record<string, string> = {}
    for (const [action, asked] of Object.entries<Asked>(REFUSED)) {
      small.fill(0)
      upstream?.script(plainList('gpt-6-luna', 'second'))
      const response = await ask(house, action as AdminAction, typeof asked === 'function' ? asked(house) : asked)
      answers[action] = `${response.status} ${await response.text()}`
    }
    const wrong = Object.entries(answers).filter(([, answer]) => !/^507 .*The disk is full/s.test(answer))
    expect(wrong).toEqual([])
    expect(await seen(house)).toEqual(before)
    await recover(house, small)
    const after = await seen(house)
    expect(after).toEqual(before)
    // The same id, with another amount than the one that was refused: that one never was.
    await house.program.admin.call('topUpKey', { id: 'loaded', body: { credits: 9, idempotency_id: 'one' } })
    house.program.kill('SIGKILL')
    await house.program.exited
    const again = { ...house, program: await startProcess({ dataDir: house.program.dataDir, place: small.place }) }
    const { keys, ledger, rows, ...rest } = await seen(again)
    const { keys: _keys, ledger: _ledger, rows: _rows, ...restBefore } = before
    expect(rest).toEqual(restBefore)
    expect(JSON.stringify({ keys, ledger, rows })).not.toMatch(/applied|"made"|sk-other/)
    expect((ledger as { entries: unknown[] }).entries).toHaveLength(
      (_ledger as { entries: unknown[] }).entries.length + 1,
    )
    expect(await again.program.stop()).toEqual({ code: 0, signal: null })
  })

  it('whoever is blocked stays blocked', { timeout: 120_000 }, async () => {
    const house = await smallHouse()
    const { small, program } = house
    const { admin } = program
    await fillUp(house, small)
    expect(await admin.call('suspendKey', { id: 'loaded' })).toMatchObject({
      status: 'suspended',
      notice: expect.stringContaining('disk is full') as string,
    })
    expect((await postChat({ url: program.url, key: house.key }, {})).status).toBe(403)
    expect(await admin.call('revokeKey', { id: 'doomed' })).toMatchObject({ status: 'revoked' })
    expect(await admin.call('editMember', { id: 'bad', body: { status: 'suspended' } })).toMatchObject({
      status: 'suspended',
    })
    expect(await admin.call('turnLanOff', {})).toMatchObject({
      state: 'off',
      problem: expect.stringContaining('full') as string,
    })
    expect((await admin.call('status', {})).attention.join()).toContain('The disk is full')
    // Nothing that is refused meanwhile undoes it.
    await expect(admin.call('resumeKey', { id: 'loaded' })).rejects.toMatchObject({ status: 507 })
    small.clear()
    await expect.poll(async () => (await admin.call('status', {})).attention.join(), { timeout: 15_000 }).toBe('')
    program.kill('SIGKILL')
    await program.exited
    const again = await startProcess({ dataDir: program.dataDir, place: small.place })
    expect(await again.admin.call('showKey', { id: 'loaded' })).toMatchObject({ status: 'suspended' })
    expect(await again.admin.call('showKey', { id: 'doomed' })).toMatchObject({ status: 'revoked' })
    const members = await again.admin.call('listMembers', {})
    expect(members.find(({ name }) => name === 'bad')).toMatchObject({ status: 'suspended' })
    // What comes later wins over what waited for room.
    expect(await again.admin.call('resumeKey', { id: 'loaded' })).toMatchObject({ status: 'active' })
    expect(await again.stop()).toEqual({ code: 0, signal: null })
  })
})
