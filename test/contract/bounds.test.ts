// What the admin API takes it can also show. Every member of every request is tried at its edges, and whatever is taken must come
// back in the form that the contract says: an answer that the command line refuses hides all that is beside it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN_API, type AdminAction, type Endpoint } from '#contract/admin-api.ts'
import { check, firstProblem } from '#contract/validate.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { PASSWORD } from '../support/password.ts'
import { edgesOf, type Edge } from './edges.ts'

type Body = Readonly<Record<string, unknown>>
/** A body that is taken, with names that nothing has yet. `id` is what the path names. */
type Trial = { readonly id?: string; readonly body?: (name: string) => Body; readonly query?: Body }

const CHAT = { context_window: 1000, max_output_tokens: 100, price: { input: 1, output: 2 } }
const TARGETS = [{ provider: 'main', model: 'm' }]

const TRIALS: Partial<Record<AdminAction, Trial>> = {
  addMember: { body: (name) => ({ name }) },
  editMember: { id: 'ada', body: () => ({}) },
  setMemberPassword: { id: 'ada', body: () => ({ password: PASSWORD }) },
  createInvite: { body: (name) => ({ name }) },
  listAudit: { query: {} },
  listRefused: { query: {} },
  toolGuides: { query: {} },
  pause: { body: () => ({}) },
  apply: {
    body: (name) => ({
      document: {
        providers: [{ name, dialect: 'chat-completions', base_url: 'https://api.example.com/v1' }],
        models: [{ id: name, ...CHAT, targets: TARGETS }],
        packages: [{ name, type: 'topup', credits: 1 }],
      },
    }),
  },
  addProvider: { body: (name) => ({ name, dialect: 'chat-completions', base_url: 'https://api.example.com/v1' }) },
  setProviderSecret: { id: 'main', body: () => ({ secret: 'sk' }) },
  addProviderSecret: { id: 'main', body: (name) => ({ label: name, secret: 'sk' }) },
  editProviderSecret: { id: 'main', body: () => ({ label: 'first' }) },
  removeProviderSecret: { id: 'main', query: {} },
  editProvider: { id: 'edited', body: () => ({}) },
  addModel: { body: (id) => ({ id, ...CHAT, targets: TARGETS }) },
  editModel: { id: 'edited', body: () => ({}) },
  priceModel: { id: 'edited', body: () => ({ input: 1, output: 2, confirm_jump: true }) },
  priceCard: { query: {} },
  addPackage: { body: (name) => ({ name, type: 'topup', credits: 1 }) },
  editPackage: { id: 'edited', body: () => ({}) },
  createKey: { body: (name) => ({ name, package: 'team' }) },
  extendKey: { id: 'laptop', body: () => ({ expires: '90d' }) },
  topUpKey: { id: 'laptop', body: () => ({ credits: 1 }) },
  adjustKey: { id: 'laptop', body: () => ({ credits: 1, reason: 'a correction' }) },
  rotateKey: { id: 'laptop', body: () => ({}) },
  moveKey: { id: 'laptop', body: () => ({ package: 'team' }) },
  editKey: { id: 'laptop', body: () => ({}) },
  setProject: { id: 'website', body: () => ({}) },
  setSetting: { id: 'hold_wait_ms', body: () => ({ value: '5000' }) },
  setThresholds: { body: () => ({ scope: 'key', thresholds: [80] }) },
  setBillSecret: { id: 'billed', body: () => ({ secret: 'sk-admin' }) },
  addWebhook: { body: (name) => ({ name, url: 'https://alerts.example.com/farebox' }) },
  addMailbox: {
    body: (name) => ({ name, url: 'smtps://mail.example.com', from: 'a@example.com', to: 'b@example.com' }),
  },
  usage: { query: {} },
  usageReport: { query: {} },
  listLedger: { query: {} },
  listBills: { query: {} },
}

/** What is asked elsewhere, or would ask somebody else. */
const ELSEWHERE: Partial<Record<AdminAction, string>> = {
  signIn: 'stores nothing, and has a limit on how often it is asked',
  signOut: 'stores nothing',
  changePassword: 'is for a session in a browser',
  acceptInvite: 'is for who has a code',
  setLan: 'is about the machine: test/lan',
  testProvider: 'asks a provider: test/provider',
  addProviderModels: 'asks a provider: test/catalog/offers.test.ts',
  discover: 'asks servers: test/catalog/discovered.test.ts',
  exportSecrets: 'writes files: test/secret',
  importSecrets: 'reads files: test/secret',
  settleGateway: 'needs another gateway: test/fleet/lost.test.ts',
  settleBill: 'reads files: test/gateway/bills.test.ts',
  askAccountBalances: 'asks providers: test/gateway/account-balances.test.ts',
  checkBill: 'reads files: test/gateway/bills.test.ts',
  scanTools: 'starts a thread for each: test/app/tool-scans.test.ts, test/dashboard/tools.test.ts',
  applyPriceCard: 'takes only what priceCard answered: test/catalog/price-card.test.ts',
  backUp: 'writes files: test/server/backup.test.ts',
  connectTool: 'writes files: test/gateway/tools.test.ts',
  disconnectTool: 'writes files: test/gateway/tools.test.ts',
}

/** Everything that is stored is in the answer of one of these. */
const SHOWN = Object.entries<Endpoint>(ADMIN_API).flatMap(([action, { method, path }]) =>
  method === 'GET' && !path.includes('{id}') && action !== 'showSession' && action !== 'showLanCertificate'
    ? [action as AdminAction]
    : [],
)

let farebox: Farebox
let made = 0

beforeAll(async () => {
  farebox = await startFarebox()
  const { admin } = farebox
  for (const name of ['main', 'edited']) {
    const provider = { name, dialect: 'chat-completions' as const, base_url: 'https://api.example.com/v1' }
    await admin.call('addProvider', { body: provider })
    await admin.call('addPackage', { body: { name: name === 'main' ? 'team' : name, type: 'topup', credits: 1 } })
  }
  await admin.call('addProvider', { body: { name: 'billed', preset: 'openai' } })
  await admin.call('addModel', { body: { id: 'edited', ...CHAT, targets: TARGETS } })
  await admin.call('addMember', { body: { name: 'ada' } })
  await admin.call('createKey', { body: { name: 'laptop', package: 'team' } })
})
afterAll(() => farebox.close())

/** What is wrong with an answer; undefined where it is refused in words or as the contract says. */
async function problemOf(
  action: AdminAction,
  { id = '', body, query = {} }: { id?: string; body?: unknown; query?: Body },
) {
  const { method, path, response }: Endpoint = ADMIN_API[action]
  const asked = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  const place = path.replace('{id}', encodeURIComponent(id)) + (asked === '' ? '' : `?${asked}`)
  const answer = await farebox.app.inject({ method, path: place, body })
  if (answer.status >= 400 && answer.status < 500) return undefined
  if (answer.status > 299) return `status ${answer.status}`
  const checked = check(response, answer.body)
  return checked.type === 'valid' ? undefined : firstProblem(checked.problems).message
}

const shorten = (text: string) => (text.length <= 120 ? text : `${text.slice(0, 120)}… (${text.length})`)

type Trying = Edge & { readonly part: 'body' | 'query' }

function trialsOf(action: AdminAction): Trying[] {
  const { body, query }: Endpoint = ADMIN_API[action]
  const base = TRIALS[action]?.body?.(`edge-${(made += 1)}`) ?? {}
  const bodies = body === undefined ? [] : edgesOf(body, base).map(renamed)
  const queries = query === undefined ? [] : edgesOf(query, {})
  return [
    ...bodies.map((edge) => ({ ...edge, part: 'body' as const })),
    ...queries.map((edge) => ({ ...edge, part: 'query' as const })),
  ]
}

/** With a name of its own, unless a name is what is tried. */
function renamed(edge: Edge, index: number): Edge {
  const value = { ...(edge.value as Body) }
  for (const member of ['name', 'id']) {
    const name = value[member]
    if (edge.path !== member && typeof name === 'string') value[member] = `${name}-${index}`
  }
  return { ...edge, value }
}

describe('every member of a request at its edges', () => {
  const takers = Object.entries<Endpoint>(ADMIN_API).filter(([, { body, query }]) => (body ?? query) !== undefined)

  it('is tried, or it is said why not', () => {
    const said = [...Object.keys(TRIALS), ...Object.keys(ELSEWHERE)]
    expect(said.toSorted()).toEqual(takers.map(([action]) => action).toSorted())
  })

  it.each(Object.keys(TRIALS) as AdminAction[])(
    'comes back from %s in the form of its answer',
    async (action) => {
      const id = TRIALS[action]?.id
      const trials = trialsOf(action)
      expect(trials.length).toBeGreaterThan(0)
      const wrong: string[] = []
      for (const { path, value, part } of trials) {
        const input = part === 'body' ? { body: value } : { query: value as Body }
        const problem = await problemOf(action, { ...(id === undefined ? {} : { id }), ...input })
        if (problem !== undefined) wrong.push(`${path} = ${shorten(JSON.stringify(value))}: ${problem}`)
      }
      // What only asks stores nothing that a list could show.
      const isStoring = ADMIN_API[action].method !== 'GET'
      for (const shown of isStoring ? SHOWN : []) {
        const problem = await problemOf(shown, {})
        if (problem !== undefined) wrong.push(`${shown}: ${problem}`)
      }
      expect(wrong).toEqual([])
    },
    60_000,
  )
})

it('a model is called as its id is where nobody says otherwise, however long that is', async () => {
  const id = 'x'.repeat(200)
  const { admin } = farebox
  await admin.call('addModel', { body: { id, ...CHAT, targets: TARGETS } }).catch(() => undefined)
  expect((await admin.call('listModels', {})).find((model) => model.id === id)?.display_name).toBe(id)
})

it('an end at the end of the calendar is one', async () => {
  const body = { name: 'for ever', type: 'topup' as const, credits: 1, valid_until: '9999-12-31', timezone: 'UTC' }
  expect((await farebox.admin.call('addPackage', { body })).valid_until).toBe('9999-12-31T23:59:59.999Z')
})
