import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Key, Model, Package, Provider } from '#core/entities.ts'
import { NO_LIMITS, type Member } from '#core/member.ts'
import { microCredits } from '#core/money.ts'
import { uuidV7Generator } from '#core/uuid.ts'
import { applyCatalogChange, loadCatalog, loadPriceVersions, type CatalogChange } from '#store/catalog-rows.ts'
import { openForWriting, type Db } from '#store/database.ts'
import { ANY_PARTS, type UsageParts } from '#store/usage-filter.ts'
import { listUsage, type UsageFilter, type UsagePlace } from '#store/usage-list.ts'
import { UsageRollups } from '#store/usage-rollups.ts'

let dataDir: string
let db: Db

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'farebox-rows-'))
  db = openForWriting(dataDir)
})

afterEach(async () => {
  db.close()
  await rm(dataDir, { recursive: true, force: true })
})

function apply(...changes: readonly CatalogChange[]): void {
  for (const change of changes) applyCatalogChange(db, change)
}

const PROVIDER: Provider = {
  id: 'provider',
  name: 'openai',
  preset: 'openai',
  dialect: 'chat-completions',
  baseUrl: 'https://api.openai.com/v1',
  network: 'public',
  hasSecret: true,
  pool: [{ label: 'first', weight: 2, limits: { dailyMicro: microCredits(5) }, createdAtMs: 1 }],
  secretHeader: 'api-key',
  headers: { 'x-portkey-provider': 'openai' },
  headerSecrets: ['cf-access-client-secret'],
  outputCapField: 'max_completion_tokens',
  onDisconnect: 'drain',
  quirks: { maxStops: 2 },
  limits: { concurrentRequests: 3, dailyMicro: microCredits(5_000_000) },
  timeLimits: { firstByteMs: 20_000 },
  createdAtMs: 1,
}
const PRICE = {
  version: 1,
  inputMicro: microCredits(1_250_000),
  outputMicro: microCredits(10_000_000),
  cacheReadMicro: microCredits(125_000),
  cacheWriteMicro: microCredits(1_000_000_000_000_000),
}
const MODEL: Model = {
  id: 'gpt',
  displayName: 'GPT 🚀',
  kind: 'chat',
  contextWindow: 272_000,
  isContextGuessed: true,
  maxOutputTokens: 128_000,
  isEnabled: true,
  price: PRICE,
  targets: [
    { providerId: 'provider', upstreamModel: 'z', priority: 1, weight: 3 },
    { providerId: 'provider', upstreamModel: 'a', priority: 0, weight: 1 },
  ],
  createdAtMs: 2,
}
const PACKAGE: Package = {
  id: 'package',
  name: 'team',
  type: 'monthly',
  creditsMicro: microCredits(50_000_000),
  timeZone: 'Europe/Berlin',
  limits: { requestsPerMinute: 60, tokensPerMinute: undefined, concurrentRequests: 8 },
  models: ['gpt', 'other'],
  validUntilMs: 4_000_000_000_000,
  createdAtMs: 3,
}
const KEY: Key = {
  id: 'key',
  name: 'ci',
  owner: 'ann',
  memberId: 'member',
  hash: 'h'.repeat(43),
  hint: 'abcd',
  packageId: 'package',
  storedStatus: 'active',
  suspendedBy: undefined,
  expiresAtMs: 5_000_000_000_000,
  createdAtMs: 4,
  valueSinceMs: 6,
  previous: { hash: 'g'.repeat(43), validUntilMs: 7 },
  tool: 'zed',
  project: 'books',
  tags: ['ci', 'night'],
}

const MEMBER: Member = {
  id: 'member',
  name: 'Ann',
  role: 'administrator',
  status: 'suspended',
  packages: ['package'],
  passwordHash: '$scrypt$',
  limits: { ...NO_LIMITS, requestsPerMinute: 60, dailyMicro: microCredits(5) },
  createdAtMs: 5,
}

const ALL = [
  { type: 'put-provider', provider: PROVIDER },
  { type: 'put-model', model: MODEL, changedAtMs: 9 },
  { type: 'put-package', package: PACKAGE },
  { type: 'put-member', member: MEMBER },
  { type: 'put-key', key: KEY },
] as const

describe('the catalogue', () => {
  it('is loaded as it was stored', () => {
    apply(...ALL)
    expect(loadCatalog(db)).toEqual({
      providers: [PROVIDER],
      models: [MODEL],
      packages: [PACKAGE],
      keys: [KEY],
      members: [MEMBER],
      invites: [],
      projects: [],
    })
  })

  it('is loaded as it was stored where everything optional is left out', () => {
    const bare = {
      provider: {
        ...PROVIDER,
        preset: undefined,
        dialect: 'demo',
        baseUrl: '',
        hasSecret: false,
        secretHeader: undefined,
        headers: {},
        headerSecrets: [],
        outputCapField: 'max_tokens',
        limits: {},
        timeLimits: {},
      },
      model: { ...MODEL, kind: 'embedding', maxOutputTokens: 0, isEnabled: false, price: undefined, targets: [] },
      package: {
        ...PACKAGE,
        limits: { requestsPerMinute: undefined, tokensPerMinute: undefined, concurrentRequests: undefined },
        models: 'all',
        validUntilMs: undefined,
      },
      key: {
        ...KEY,
        owner: undefined,
        memberId: undefined,
        expiresAtMs: undefined,
        storedStatus: 'suspended',
        suspendedBy: 'member',
        previous: undefined,
      },
      member: { ...MEMBER, role: 'member', status: 'active', packages: 'all', passwordHash: undefined },
    } as const
    apply(
      { type: 'put-provider', provider: bare.provider },
      { type: 'put-model', model: bare.model, changedAtMs: 9 },
      { type: 'put-package', package: bare.package },
      { type: 'put-key', key: bare.key },
      { type: 'put-member', member: bare.member },
    )
    const { provider, model, package: entity, key, member } = bare
    expect(loadCatalog(db)).toEqual({
      providers: [provider],
      models: [model],
      packages: [entity],
      keys: [key],
      members: [member],
      invites: [],
      projects: [],
    })
  })

  it('takes the last of several changes, and keeps when a thing was made', () => {
    apply(...ALL)
    const renamed = { ...PROVIDER, name: 'other', baseUrl: 'https://other', hasSecret: false, createdAtMs: 99 }
    const moved = { ...MODEL, targets: MODEL.targets.slice(1), isEnabled: false }
    const larger = { ...PACKAGE, creditsMicro: microCredits(1), models: 'all' as const, validUntilMs: undefined }
    const suspended = { ...KEY, storedStatus: 'suspended' as const, suspendedBy: 'administrator' as const }
    const promoted = { ...MEMBER, name: 'Anna', packages: 'all' as const, passwordHash: '$scrypt$2' }
    apply(
      { type: 'put-provider', provider: renamed },
      { type: 'put-model', model: moved, changedAtMs: 10 },
      { type: 'put-package', package: larger },
      { type: 'put-key', key: suspended },
      { type: 'put-member', member: promoted },
    )
    expect(loadCatalog(db)).toEqual({
      providers: [{ ...renamed, createdAtMs: 1 }],
      models: [moved],
      packages: [larger],
      keys: [suspended],
      members: [promoted],
      invites: [],
      projects: [],
    })
  })

  it('forgets what is deleted, with the targets of a model', () => {
    apply(...ALL.slice(0, 3), { type: 'delete-model', id: 'gpt' }, { type: 'delete-provider', id: 'provider' })
    apply({ type: 'delete-package', id: 'package' })
    expect(loadCatalog(db)).toEqual({
      providers: [],
      models: [],
      packages: [],
      keys: [],
      members: [],
      invites: [],
      projects: [],
    })
  })

  it("keeps the revoked keys of a member who is removed, as nobody's", () => {
    apply(
      ...ALL,
      { type: 'put-key', key: { ...KEY, storedStatus: 'revoked' } },
      { type: 'delete-member', id: 'member' },
    )
    expect(loadCatalog(db)).toMatchObject({ keys: [{ id: 'key', owner: 'ann', memberId: undefined }], members: [] })
  })

  it('takes no two members whose names differ in their case only', () => {
    apply(...ALL)
    expect(() => apply({ type: 'put-member', member: { ...MEMBER, id: 'other', name: 'ANN' } })).toThrow('UNIQUE')
  })

  it('does not lose a provider that a model still has as a target', () => {
    apply(...ALL)
    expect(() => apply({ type: 'delete-provider', id: 'provider' })).toThrow('FOREIGN KEY')
  })

  it('is not loaded when it holds a value that this version does not know', () => {
    apply(...ALL)
    db.exec(`UPDATE provider SET dialect = 'telepathy'`)
    expect(() => loadCatalog(db)).toThrow(`unknown value 'telepathy'`)
  })
})

describe('price versions', () => {
  it('are all kept, the newest counts, and those of removed models are remembered', () => {
    apply(...ALL)
    const dearer = { ...PRICE, version: 2, inputMicro: microCredits(2_000_000) }
    apply({ type: 'put-model', model: { ...MODEL, price: dearer }, changedAtMs: 10 })
    expect(loadCatalog(db).models[0]?.price).toEqual(dearer)
    expect(db.prepare('SELECT version, created_at_ms FROM price ORDER BY version').raw().all()).toEqual([
      [1, 9],
      [2, 10],
    ])
    apply({ type: 'delete-model', id: 'gpt' })
    expect(loadPriceVersions(db)).toEqual(new Map([['gpt', 2]]))
  })

  it('never change once they are stored', () => {
    apply(...ALL)
    apply({ type: 'put-model', model: { ...MODEL, price: { ...PRICE, inputMicro: microCredits(1) } }, changedAtMs: 10 })
    expect(loadCatalog(db).models[0]?.price).toEqual(PRICE)
  })
})

describe('the usage history', () => {
  const START = 1_800_000_000_000
  let ids: string[]

  beforeEach(() => {
    apply(...ALL, { type: 'put-key', key: { ...KEY, id: 'second', name: 'second', hash: 'i'.repeat(43) } })
    let nowMs = START
    const newId = uuidV7Generator(
      () => nowMs,
      (bytes) => void bytes.fill(7),
    )
    const insert = db.prepare(
      `INSERT INTO usage_record (id, key_id, package_id, endpoint, model_id, provider_id, is_stream, outcome, status,
         usage_source, hold_micro, charge_micro, is_overrun, created_at_ms, duration_ms)
       VALUES (?, ?, 'package', 'chat', ?, ?, 0, 'answered', 200, 'reported', 5, 3, 0, ?, 1)`,
    )
    ids = Array.from({ length: 25 }, (_, index) => {
      nowMs = START + Math.floor(index / 5) * 1000
      const id = newId()
      insert.run(
        id,
        index % 2 === 0 ? 'key' : 'second',
        index % 3 === 0 ? 'gpt' : 'gone',
        index === 0 ? 'gone' : 'provider',
        nowMs,
      )
      return id
    })
    new UsageRollups(db, 'Europe/Berlin').open()
  })

  const EVERYTHING: UsageFilter = {
    parts: ANY_PARTS,
    sinceMs: undefined,
    untilMs: undefined,
    status: undefined,
    minMicro: undefined,
    before: undefined,
    limit: 1000,
  }

  function list(filter: Partial<UsageFilter>): string[] {
    return listUsage(db, { ...EVERYTHING, ...filter }).rows.map((row) => row.id)
  }

  it('lists the newest first', () => {
    expect(list({})).toEqual(ids.toReversed())
  })

  it('is paged without a gap or a repetition', () => {
    const paged: string[] = []
    for (let before: UsagePlace | undefined; ;) {
      const { rows, next } = listUsage(db, { ...EVERYTHING, limit: 7, before })
      paged.push(...rows.map((row) => row.id))
      if (next === undefined) break
      before = next
    }
    expect(paged).toEqual(ids.toReversed())
  })

  it('is filtered by key, by model, by time, and by all of them', () => {
    const newest = ids.toReversed()
    const position = (id: string) => ids.indexOf(id)
    const of = (parts: Partial<UsageParts>) => ({ parts: { ...ANY_PARTS, ...parts } })
    const before = { createdAtMs: START + 4000, id: ids[20] ?? '' }
    expect(list(of({ keyIds: ['second'] }))).toEqual(newest.filter((id) => position(id) % 2 === 1))
    expect(list(of({ modelId: 'gpt' }))).toEqual(newest.filter((id) => position(id) % 3 === 0))
    expect(list({ sinceMs: START + 3000 })).toEqual(newest.filter((id) => position(id) >= 15))
    expect(list({ sinceMs: START + 3001 })).toEqual(newest.filter((id) => position(id) >= 20))
    expect(list({ sinceMs: 0 })).toEqual(newest)
    expect(list({ ...of({ keyIds: ['key'], modelId: 'gpt' }), sinceMs: START + 2000, before })).toEqual(
      newest.filter((id) => position(id) % 6 === 0 && position(id) >= 10 && position(id) < 20),
    )
    expect(list(of({ keyIds: ['nobody'] }))).toEqual([])
  })

  it('names keys and providers, and goes on without a provider that was removed', () => {
    const [newest] = listUsage(db, { ...EVERYTHING, limit: 1 }).rows
    expect(newest).toMatchObject({ key_name: 'ci', provider_name: 'openai', charge_micro: 3, input_tokens: null })
    const [oldest] = listUsage(db, { ...EVERYTHING, before: { createdAtMs: START, id: ids[1] ?? '' } }).rows
    expect(oldest).toMatchObject({ id: ids[0], provider_name: null })
  })
})
