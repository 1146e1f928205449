// What a running app is made of, put together from a configuration: the books and the catalogue from the disk, the secrets, the
// ways to providers, and what the journey of a call needs.

import { hash, randomBytes } from 'node:crypto'
import { after } from '#app/after.ts'
import { openAlerting, type Alerting } from '#app/alerting.ts'
import { faultReporter, type Faults } from '#app/faults.ts'
import { openFleet } from '#app/fleet.ts'
import { openSecrets, type Secrets } from '#app/secrets.ts'
import { EMPTY_BATCH, openStores, type Stores } from '#app/stores.ts'
import { VERSION, type Config } from '#config/config.ts'
import type { WriterOperations } from '#threads/writer-operations.ts'
import type { Catalog } from '#catalog/catalog.ts'
import type { CatalogContext } from '#catalog/context.ts'
import { partOfLimits, type PartOf } from '#core/limit-parts.ts'
import type { Target } from '#core/entities.ts'
import type { DescriptorShares } from '#core/descriptor-shares.ts'
import type { Log } from '#core/log.ts'
import type { Fleet } from '#fleet/fleet.ts'
import type { FleetErrand } from '#fleet/membership.ts'
import { isDemo } from '#core/provider-dialect.ts'
import { Adaptations } from '#pipeline/adapt.ts'
import { AnswerMemory } from '#pipeline/answer-memory.ts'
import { CapMemory } from '#pipeline/cap-memory.ts'
import { MissingPrices } from '#pipeline/missing-prices.ts'
import { Drains } from '#pipeline/drains.ts'
import { Gate } from '#pipeline/gate.ts'
import { Health } from '#pipeline/health.ts'
import { Attributions } from '#pipeline/attributions.ts'
import { Budgets, purseId, type AllBudgets } from '#pipeline/budgets.ts'
import { Hops } from '#pipeline/hops.ts'
import { OpenExchanges } from '#pipeline/open-exchanges.ts'
import { Pause } from '#pipeline/pause.ts'
import type { Clock, Transport } from '#pipeline/ports.ts'
import { ProviderGate } from '#pipeline/provider-gate.ts'
import { RefusedCalls } from '#pipeline/refused-calls.ts'
import type { RoutingDeps } from '#pipeline/routing.ts'
import { SecretHealth } from '#pipeline/secret-health.ts'
import { tokensBy, type NewTokens } from '#provider/authentication.ts'
import { Connections, type ConnectionsOptions } from '#provider/connections.ts'
import { DemoTransport } from '#provider/demo.ts'
import { OwnListener } from '#provider/own-listener.ts'
import { Tokenizer } from '#provider/tokenizer.ts'
import { ProviderClocks } from '#provider/clocks.ts'
import { HttpTransport } from '#provider/transport.ts'
import { UNLIMITED } from '#core/spending.ts'
import type { StartKeychain } from '#secret/keychain-child.ts'
import { Sockets } from '#server/socket/sockets.ts'
import type { DatabaseThread } from '#store/database-thread.ts'

export const USER_AGENT = `farebox/${VERSION}`

/** What the journey of a call needs besides the stores. */
export type Calling = {
  readonly open: OpenExchanges
  readonly pause: Pause
  readonly drains: Drains
  readonly gate: Gate
  readonly budgets: AllBudgets
  readonly routing: RoutingDeps
  readonly partOf: PartOf
  /** The same of days and months of members and projects. */
  readonly partOfBudgets: PartOf
  /** What was learnt of targets. */
  readonly adaptations: Adaptations
  readonly caps: CapMemory
  readonly missingPrices: MissingPrices
  readonly counter: Tokenizer
  readonly ownListener: OwnListener
  readonly hops: Hops
  readonly connections: Connections
  readonly newTokens: NewTokens
  readonly transport: Transport
  readonly providerClocks: ProviderClocks
  readonly maxAttempts: number
  readonly answers: AnswerMemory
  readonly sockets: Sockets
  readonly refused: RefusedCalls
  readonly attributions: Attributions
  /** Where several gateways share the books. */
  readonly leases: Fleet | undefined
}

export type Parts = {
  readonly clock: Clock
  readonly stores: Stores
  readonly secrets: Secrets
  readonly calling: Calling
  readonly alerting: Alerting
  readonly context: CatalogContext
  readonly faults: Faults
}

export type Foundation = {
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  readonly writer: DatabaseThread<WriterOperations>
  readonly startKeychain: StartKeychain
  readonly shares: DescriptorShares
  /** For a command that opens the folder. */
  readonly errand?: FleetErrand | undefined
}

/** Reads the data folder and puts everything together that a running app is made of. Nothing listens yet. */
export async function assemble(foundation: Foundation): Promise<Parts> {
  const { config, log, clock, writer, shares, errand } = foundation
  const stores = await openStores({ config, log, clock, writer })
  try {
    const fleet = await openFleet({ config, log, clock, writer, stores, errand })
    const secrets = await openSecrets({ ...foundation, catalog: stores.catalog, fleet })
    const calling = callingFor({ config, clock, writer, shares, stores, secrets, fleet })
    const ways = { stores, calling, secrets: secrets.secrets, userAgent: USER_AGENT }
    const alerting = openAlerting({ config, clock, writer, log, ...ways })
    const context = contextFor({ clock, writer, stores, secrets, calling, alerting })
    secrets.follow(context)
    await fleet?.begin(context)
    return { clock, stores, secrets, calling, alerting, context, faults: faultReporter(log) }
  } catch (error) {
    await stores.close()
    throw error
  }
}

type CallingFrom = Pick<Foundation, 'config' | 'clock' | 'writer' | 'shares'> &
  Pick<Parts, 'stores' | 'secrets'> & { readonly fleet: Fleet | undefined }

function callingFor({ config, clock, writer, shares, stores, secrets: { secrets }, fleet }: CallingFrom): Calling {
  const partOf: PartOf = (limits) => partOfLimits(limits, fleet?.parts)
  const partOfBudgets: PartOf = (limits) => partOfLimits(limits, fleet?.budgetParts)
  const ownListener = new OwnListener()
  const ownHops = randomBytes(16).toString('base64url')
  // Gateways that share books are one to others: what one sent on comes back to any of them.
  const hops = new Hops(() => (fleet?.booksId === undefined ? [ownHops] : [fleet.booksId, ownHops]))
  const connections = connectionsFor(config, { isOwn: ownListener.isOwn, hops, most: shares.calls })
  const newTokens = tokensBy({ secrets, connections, userAgent: USER_AGENT, ...clock })
  const providerClocks = new ProviderClocks(clock)
  const http = new HttpTransport({ secrets, connections, newTokens, clocks: providerClocks, userAgent: USER_AGENT })
  return {
    open: new OpenExchanges(shares.calls),
    pause: new Pause(clock.nowMs),
    drains: new Drains(),
    gate: gateFor(config, clock, { catalog: stores.catalog, partOf }),
    budgets: budgetsFor(clock, stores, { partOf: partOfBudgets, shared: fleet?.budgets }),
    routing: routingFor(config, clock, { timeZone: stores.timeZone, charged: stores.atStart.charged, partOf }),
    partOf,
    partOfBudgets,
    adaptations: new Adaptations(),
    caps: new CapMemory(clock),
    missingPrices: new MissingPrices(),
    counter: new Tokenizer(),
    ownListener,
    hops,
    connections,
    newTokens,
    providerClocks,
    transport: transportOf(http, new DemoTransport(clock.nowMs)),
    maxAttempts: config.upstreamAttempts,
    answers: new AnswerMemory({ monotonicMs: clock.monotonicMs, keptMs: config.answerMemoryMs }),
    // Without a memory a conversation over one of them would end with its second message.
    sockets: new Sockets({
      isOn: config.webSockets && config.answerMemoryMs > 0,
      most: shares.webSockets,
      monotonicMs: clock.monotonicMs,
    }),
    refused: new RefusedCalls({
      catalog: stores.catalog,
      save: (bursts) => writer.call('saveRefused', bursts),
    }),
    attributions: new Attributions({
      nowMs: clock.nowMs,
      hash: hashKey,
      isProject: (name) => stores.catalog.project(name) !== undefined,
    }),
    leases: fleet,
  }
}

type ContextFrom = Pick<Foundation, 'clock' | 'writer'> & Pick<Parts, 'stores' | 'secrets' | 'calling' | 'alerting'>

function contextFor({ clock, writer, stores, secrets, calling, alerting }: ContextFrom): CatalogContext {
  const { catalog, ledger, overdue, newId, timeZone } = stores
  const { open, gate, routing, adaptations, caps, answers, sockets } = calling
  const memories = [routing.health, routing.secrets, adaptations, caps]
  return {
    catalog,
    ledger,
    secrets: secrets.secrets,
    otherSecrets: secrets.otherSecrets,
    sharedSecrets: secrets.shared,
    nowMs: clock.nowMs,
    newId,
    randomBytes,
    hashKey,
    timeZone,
    shared: calling.leases?.shared,
    readAdjustment: async (id) => {
      await stores.projection.upToDate()
      return writer.call('adjustment', id)
    },
    write: (changes, batch = EMPTY_BATCH, version) => overdue.write(changes, { ...batch, version }),
    insist: (changes) => overdue.insist(changes),
    keyBlocked(keyId) {
      open.stopKey(keyId)
      sockets.keyBlocked(keyId)
      answers.forget(keyId)
    },
    memberLimitsChanged(memberId) {
      // Lets those go on that wait for what a member may do.
      gate.memberLimitsChanged(memberId)
      ledger.purseChanged(purseId('member', memberId))
      alerting.alerts.lookAtAll()
    },
    projectLimitsChanged: (project) => {
      ledger.purseChanged(purseId('project', project))
      alerting.alerts.lookAtAll()
    },
    targetsChanged(targets) {
      forgetTargets(targets, memories)
      // A provider may have another bound now.
      alerting.alerts.lookAtAll()
    },
  }
}

type GateFrom = { readonly catalog: Catalog; readonly partOf: PartOf }

function gateFor(config: Config, clock: Clock, { catalog, partOf }: GateFrom): Gate {
  return new Gate({
    nowMs: clock.nowMs,
    after,
    partOf,
    limitsOfMember: (memberId) => catalog.limitsOfMember(memberId),
    // Asked at each use, since they may be changed while it runs.
    get waits() {
      return config.rateLimitWait
    },
    get maxWaitMs() {
      return config.rateLimitWaitMs
    },
  })
}

type RoutingFrom = {
  readonly timeZone: string
  readonly charged: Stores['atStart']['charged']
  readonly partOf: PartOf
}

function routingFor(config: Config, clock: Clock, { timeZone, charged, partOf }: RoutingFrom): RoutingDeps {
  const gate = new ProviderGate({
    nowMs: clock.nowMs,
    after,
    partOf,
    timeZone,
    get maxWaitMs() {
      return config.rateLimitWaitMs
    },
  })
  gate.restore(charged.byProvider, charged.bySecret)
  const { monotonicMs } = clock
  const health = new Health(config.upstreamTrialsPerSecond)
  return {
    health,
    secrets: new SecretHealth(),
    gate,
    monotonicMs,
    random: Math.random,
    retryDelayMs: config.upstreamRetryDelayMs,
  }
}

type BudgetsFrom = { readonly partOf: PartOf; readonly shared: Fleet['budgets'] }

function budgetsFor(
  { nowMs }: Clock,
  { catalog, ledger, timeZone, atStart }: Stores,
  { partOf, shared }: BudgetsFrom,
): AllBudgets {
  const changed = (id: string) => ledger.purseChanged(id)
  const options = { nowMs, timeZone, changed, elsewhereMicro: shared && shared.chargedElsewhere.bind(shared) }
  const limitsOf = (name: string) => partOf(catalog.project(name)?.limits ?? UNLIMITED)
  const limitsOfMember = (id: string) => partOf(catalog.limitsOfMember(id))
  const member = new Budgets({ ...options, scope: 'member', limitsOf: limitsOfMember })
  const project = new Budgets({ ...options, scope: 'project', limitsOf })
  member.restore({ daily: atStart.charged.byMember })
  project.restore(atStart.chargedOfProjects)
  return { member, project }
}

function forgetTargets(targets: readonly Target[], memories: readonly { forget(target: Target): void }[]): void {
  for (const memory of memories) for (const target of targets) memory.forget(target)
}

function connectionsFor(config: Config, options: Pick<ConnectionsOptions, 'isOwn' | 'hops' | 'most'>): Connections {
  const timeLimits = {
    get connectMs() {
      return config.upstreamConnectTimeoutMs
    },
    get firstByteMs() {
      return config.upstreamFirstByteTimeoutMs
    },
    get silenceMs() {
      return config.upstreamSilenceTimeoutMs
    },
  }
  return new Connections({ timeLimits, ...options })
}

function transportOf(http: HttpTransport, demo: DemoTransport): Transport {
  return { send: (request, listener) => (isDemo(request.provider) ? demo : http).send(request, listener) }
}

/** SHA-256, base64url: keys are random, so that neither salt nor a slow hash would add anything. */
function hashKey(key: string): string {
  return hash('sha256', key, 'base64url')
}
