// What a running app is made of, put together from a configuration: the books and the catalogue from the disk, the secrets, the
// ways to providers, and what the journey of a call needs.

import { hash, randomBytes, randomFillSync } from 'node:crypto'
import { join } from 'node:path'
import { after } from '#app/after.ts'
import { VERSION, type Config } from '#config/config.ts'
import { scriptFile } from '#config/program-files.ts'
import type { WriterOperations } from '#threads/writer-thread.ts'
import { Catalog } from '#catalog/catalog.ts'
import type { CatalogContext } from '#catalog/context.ts'
import { OverdueChanges } from '#catalog/overdue.ts'
import { secretReference } from '#catalog/secrets.ts'
import { hasCredentials } from '#core/credentials.ts'
import { cycleStart } from '#core/cycle.ts'
import type { Target } from '#core/entities.ts'
import type { Log } from '#core/log.ts'
import { ZERO } from '#core/money.ts'
import { isDemo } from '#core/provider-dialect.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import { uuidV7Generator } from '#core/uuid.ts'
import type { OpenHold } from '#ledger/account.ts'
import { Journal } from '#ledger/journal.ts'
import { Ledger, type Settlement } from '#ledger/ledger.ts'
import { RecordedCalls } from '#ledger/recorded.ts'
import type { LedgerBatch } from '#ledger/rows.ts'
import { WriteMeter } from '#ledger/write-meter.ts'
import { Adaptations } from '#pipeline/adapt.ts'
import { CachedShares } from '#pipeline/cached-shares.ts'
import { CapMemory } from '#pipeline/cap-memory.ts'
import { Drains } from '#pipeline/drains.ts'
import { Gate } from '#pipeline/gate.ts'
import { Health } from '#pipeline/health.ts'
import { MemberBudgets } from '#pipeline/member-budgets.ts'
import { OpenExchanges } from '#pipeline/open-exchanges.ts'
import { Pause } from '#pipeline/pause.ts'
import type { Clock, Transport } from '#pipeline/ports.ts'
import { ProviderGate } from '#pipeline/provider-gate.ts'
import type { RoutingDeps } from '#pipeline/routing.ts'
import { Connections } from '#provider/connections.ts'
import { DemoTransport } from '#provider/demo.ts'
import { OwnListener } from '#provider/own-listener.ts'
import { Tokenizer } from '#provider/tokenizer.ts'
import { HttpTransport } from '#provider/transport.ts'
import { Forgetting } from '#secret/forgetting.ts'
import { Keeper } from '#secret/keeper.ts'
import type { StartKeychain } from '#secret/keychain-child.ts'
import { openKeychain } from '#secret/keychain.ts'
import type { SecretStore } from '#secret/port.ts'
import { openVault } from '#secret/vault.ts'
import type { DatabaseThread } from '#store/database-thread.ts'

const EMPTY_BATCH: LedgerBatch = { entries: [], usage: [], balances: [] }

export const USER_AGENT = `farebox/${VERSION}`

export type Parts = Awaited<ReturnType<typeof assemble>>

export type Foundation = {
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  readonly writer: DatabaseThread<WriterOperations>
  readonly startKeychain: StartKeychain
}

/** Reads the data folder and puts everything together that a running app is made of. Nothing listens yet. */
export async function assemble({ config, log, clock, writer, startKeychain }: Foundation) {
  const newId = uuidV7Generator(clock.nowMs, pooledRandom())
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const chargedSinceMs = cycleStart('daily', timeZone, clock.nowMs())
  const loaded = await writer.call('load', { chargedSinceMs })
  const catalog = new Catalog(loaded.catalog, loaded.priceVersions)
  const recorded = new RecordedCalls()
  const writes = new WriteMeter(clock.monotonicMs)
  const overdue = new OverdueChanges((changes, batch) => writer.call('change', { changes, batch }), EMPTY_BATCH)
  const journal = journalOf(writer, { recorded, writes, overdue })
  const ledger = new Ledger({ journal, nowMs: clock.nowMs, after, holdWaitMs: config.holdWaitMs })
  await restoreLedger(ledger, catalog, loaded.ledger, log)
  const open = new OpenExchanges()
  const { secrets, otherSecrets, keychain } = openSecrets({ config, clock, startKeychain }, catalog)
  const learnt = { adaptations: new Adaptations(), caps: new CapMemory(), cached: new CachedShares() }
  const context: CatalogContext = {
    catalog,
    ledger,
    secrets,
    otherSecrets,
    nowMs: clock.nowMs,
    newId,
    randomBytes,
    hashKey,
    timeZone,
    readAdjustment: (id) => writer.call('adjustment', id),
    write: (changes, batch = EMPTY_BATCH) => overdue.write(changes, batch),
    insist: (changes) => overdue.insist(changes),
    keyBlocked: (keyId) => open.stopKey(keyId),
    memberLimitsChanged: (memberId) => lookAgain(memberId, { gate, ledger }),
    targetsChanged: (targets) => forgetTargets(targets, [routing.health, ...Object.values(learnt)]),
  }
  const ownListener = new OwnListener()
  const connections = connectionsFor(config, ownListener)
  const http = new HttpTransport({ secrets, connections, userAgent: USER_AGENT })
  const gate = gateFor(config, clock, catalog)
  const transport = transportOf(http, new DemoTransport(clock.nowMs))
  const routing = routingFor(config, clock, { timeZone, charged: loaded.charged.byProvider })
  const budgets = budgetsFor({ catalog, clock, ledger }, { timeZone, charged: loaded.charged.byMember })
  return {
    lanSettings: loaded.lan,
    isSummarised: loaded.ledger.isSummarised,
    endedWell: loaded.endedWell,
    clock,
    newId,
    catalog,
    ledger,
    recorded,
    writes,
    overdue,
    open,
    pause: new Pause(clock.nowMs),
    drains: new Drains(),
    secrets,
    keychain,
    context,
    ownListener,
    connections,
    gate,
    budgets,
    ...faultReporter(log),
    transport,
    counter: new Tokenizer(),
    ...learnt,
    routing,
    maxAttempts: config.upstreamAttempts,
  }
}

function gateFor(config: Config, clock: Clock, catalog: Catalog): Gate {
  return new Gate({
    nowMs: clock.nowMs,
    after,
    limitsOfMember: (memberId) => catalog.limitsOfMember(memberId),
    waits: config.rateLimitWait,
    maxWaitMs: config.rateLimitWaitMs,
  })
}

type Charged = Parameters<ProviderGate['restore']>[0]

function routingFor(
  config: Config,
  clock: Clock,
  { timeZone, charged }: { readonly timeZone: string; readonly charged: Charged },
): RoutingDeps {
  const gate = new ProviderGate({ nowMs: clock.nowMs, after, timeZone, maxWaitMs: config.rateLimitWaitMs })
  gate.restore(charged)
  const { monotonicMs } = clock
  const health = new Health(config.upstreamTrialsPerSecond)
  return { health, gate, monotonicMs, random: Math.random, retryDelayMs: config.upstreamRetryDelayMs }
}

function budgetsFor(
  { catalog, clock, ledger }: { readonly catalog: Catalog; readonly clock: Clock; readonly ledger: Ledger },
  { timeZone, charged }: { readonly timeZone: string; readonly charged: Charged },
): MemberBudgets {
  const dailyMicroOf = (memberId: string) => catalog.limitsOfMember(memberId).dailyMicro
  const changed = (memberId: string) => ledger.purseChanged(memberId)
  const budgets = new MemberBudgets({ nowMs: clock.nowMs, timeZone, dailyMicroOf, changed })
  budgets.restore(charged)
  return budgets
}

/** Lets those go on that wait for what a member may do. */
function lookAgain(memberId: string, { gate, ledger }: { readonly gate: Gate; readonly ledger: Ledger }): void {
  gate.memberLimitsChanged(memberId)
  ledger.purseChanged(memberId)
}

function forgetTargets(targets: readonly Target[], memories: readonly { forget(target: Target): void }[]): void {
  for (const memory of memories) for (const target of targets) memory.forget(target)
}

type JournalParts = {
  readonly recorded: RecordedCalls
  readonly writes: WriteMeter
  readonly overdue: OverdueChanges<LedgerBatch>
}

function journalOf(writer: DatabaseThread<WriterOperations>, { recorded, writes, overdue }: JournalParts): Journal {
  return new Journal(
    writes.measured(({ changes, ...batch }) =>
      changes === undefined ? writer.call('append', batch) : overdue.write(changes, batch),
    ),
    (records) => recorded.publish(records),
  )
}

/** Says what mistakes were made, and counts them. */
function faultReporter(log: Log) {
  const faults = { count: 0 }
  const reportFault = (error: unknown, requestId: string) => {
    faults.count += 1
    const fault = describeFault(error)
    const fields = { request_id: requestId, fault }
    log(`fault in request ${requestId}: ${fault}`, { event: 'fault', level: 'error', fields })
  }
  return { faults, reportFault }
}

/** Takes over what is on disk, resolves what a killed process left open, and stops spending if the books do not add up. */
async function restoreLedger(
  ledger: Ledger,
  catalog: Catalog,
  state: WriterOperations['load']['output']['ledger'],
  log: Log,
): Promise<void> {
  ledger.restore({ accounts: state.accounts, holds: state.openHolds, adjustments: state.adjustments })
  if (state.mismatches.length > 0) {
    return stopSpending(ledger, state.mismatches, log)
  }
  const reason = 'its package had changed when Farebox last ended'
  await ledger.changeTermsTogether(
    state.changedTerms.map(({ keyId, terms }) => ({ keyId, terms, reason })),
    [],
  )
  const released = await ledger.releaseOrphans((hold) => orphanSettlement(hold, catalog))
  if (released === 0) return
  const line = `Released ${released} holds of calls that were interrupted when Farebox last ended.`
  log(line, { event: 'holds_released', level: 'warning', fields: { holds: released } })
}

export function stopSpending(ledger: Ledger, problems: readonly string[], log: Log): void {
  const text = problems.join('; ')
  ledger.stopSpending(text)
  const line = `The ledger does not add up, so no calls are admitted. ${text}. See: farebox ledger verify`
  log(line, { event: 'ledger_mismatch', level: 'error', fields: { problems: problems.length } })
}

/** A call whose process died: nobody knows what was delivered, and it was not the client's doing, so it is not charged. */
function orphanSettlement(hold: OpenHold, catalog: Catalog): Settlement {
  return {
    packageId: catalog.keys.find((key) => key.id === hold.keyId)?.packageId ?? '',
    endpoint: 'unknown',
    providerId: undefined,
    upstreamModel: undefined,
    isStream: false,
    outcome: 'interrupted',
    status: 500,
    ...UNKNOWN_USAGE,
    usageSource: 'none',
    chargeMicro: ZERO,
    createdAtMs: hold.createdAtMs,
    firstByteMs: undefined,
    durationMs: 0,
  }
}

function connectionsFor(config: Config, { isOwn }: OwnListener): Connections {
  const timeLimits = {
    connectMs: config.upstreamConnectTimeoutMs,
    firstByteMs: config.upstreamFirstByteTimeoutMs,
    silenceMs: config.upstreamSilenceTimeoutMs,
  }
  return new Connections({ timeLimits, isOwn })
}

/** The store that was chosen, the other one for what may be there from before, and the keychain, which has to be closed. */
function openSecrets(
  { config, clock, startKeychain }: Pick<Foundation, 'config' | 'clock' | 'startKeychain'>,
  catalog: Catalog,
) {
  const { dataDir, vaultKeyFile: keyFile, credentialsDir } = config
  const { monotonicMs } = clock
  const vault = openVault({ dataDir, keyFile, credentialsDir })
  const keychain = openKeychain({ dataDir, script: scriptFile('keychain-process'), start: startKeychain, monotonicMs })
  const store: SecretStore = config.secrets === 'vault' ? vault : keychain
  const forgetting = new Forgetting({
    path: join(dataDir, 'secrets-to-forget.json'),
    store,
    isInUse: ({ providerId, origin }) => {
      const provider = catalog.provider(providerId)
      return provider !== undefined && hasCredentials(provider) && secretReference(provider).origin === origin
    },
  })
  const secrets = new Keeper({ store, forgetting, monotonicMs })
  return { secrets, otherSecrets: store === vault ? keychain : vault, keychain }
}

function transportOf(http: HttpTransport, demo: DemoTransport): Transport {
  return { send: (request, listener) => (isDemo(request.provider) ? demo : http).send(request, listener) }
}

/** SHA-256, base64url: keys are random, so that neither salt nor a slow hash would add anything. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'base64url')
}

/** Random bytes from a pool that is refilled in large pieces: asking the system for eight bytes at a time is slow. */
function pooledRandom(): (bytes: Uint8Array) => void {
  const pool = new Uint8Array(4096)
  let used = pool.length
  return (bytes) => {
    if (used + bytes.length > pool.length) {
      randomFillSync(pool)
      used = 0
    }
    bytes.set(pool.subarray(used, used + bytes.length))
    used += bytes.length
  }
}

/** The kind and place of a mistake. Its message is left out: it could quote what a client sent. */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return 'not an error'
  const place = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '))
  return `${error.name} ${place?.trim() ?? ''}`
}
