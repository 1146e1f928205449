// The composition root: from a configuration to a running Farebox. The only file that knows all parts; the hosts (headless,
// the command line, the desktop shell) open an app and close it again.

import { hash, randomBytes, randomFillSync } from 'node:crypto'
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { VERSION, type Config } from '#main/config.ts'
import type { ReportOperations } from '#main/report-thread.ts'
import { SideThreads } from '#main/side-threads.ts'
import type { WriterOperations } from '#main/writer-thread.ts'
import { Catalog } from '#catalog/catalog.ts'
import type { CatalogContext } from '#catalog/context.ts'
import { iso } from '#catalog/dates.ts'
import { setUpDemo } from '#catalog/demo.ts'
import { cycleStart } from '#core/cycle.ts'
import { keyStatus } from '#core/entities.ts'
import { microToCredits, ZERO } from '#core/money.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import { uuidV7Generator } from '#core/uuid.ts'
import type { OpenHold } from '#ledger/account.ts'
import { BooksCheck } from '#ledger/books-check.ts'
import { Journal } from '#ledger/journal.ts'
import { Ledger, type Settlement } from '#ledger/ledger.ts'
import { Adaptations } from '#pipeline/adapt.ts'
import { Drains } from '#pipeline/drains.ts'
import { Gate } from '#pipeline/gate.ts'
import { Health } from '#pipeline/health.ts'
import { OpenExchanges } from '#pipeline/open-exchanges.ts'
import type { Clock, Transport } from '#pipeline/ports.ts'
import { ProviderGate } from '#pipeline/provider-gate.ts'
import type { RoutingDeps } from '#pipeline/routing.ts'
import { Connections } from '#provider/connections.ts'
import { DemoTransport } from '#provider/demo.ts'
import { OwnListener } from '#provider/own-listener.ts'
import { discoverServers } from '#provider/discovery.ts'
import { listModels } from '#provider/model-list.ts'
import { probeProvider } from '#provider/probe.ts'
import { Tokenizer } from '#provider/tokenizer.ts'
import { HttpTransport } from '#provider/transport.ts'
import { openVault } from '#secret/vault.ts'
import { adminHandlers } from '#server/admin-handlers.ts'
import { loopbackHosts } from '#server/guard.ts'
import { providerUseView, targetsView } from '#server/health.ts'
import { buildServer } from '#server/server.ts'
import { DatabaseThread } from '#store/database-thread.ts'
import { lockDataDir } from '#store/lock.ts'
import { finishRestore } from '#store/restore.ts'

/** What the program says about itself while it runs; never content, secrets or keys. */
export type Log = (line: string) => void

export type App = {
  /** Starts to serve on loopback. Rejects with the system's error, such as EADDRINUSE. */
  listen(port: number): Promise<string>
  /** Serves one request of the admin API in process, without a listener. */
  inject(request: { method: string; path: string; body: unknown }): Promise<{ status: number; body: unknown }>
  /** Sets up the demo where nothing is set up; returns the first key if it did. */
  setUpDemo(): Promise<string | undefined>
  /** Lets running answers finish for a while, writes everything down and ends. */
  close(): Promise<void>
}

/** The name under which requests in process address the server: made anew at each start, so that nobody outside knows it. */
const IN_PROCESS_HOST = `in-process-${randomBytes(16).toString('hex')}`
const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() }
const USER_AGENT = `farebox/${VERSION}`
const INSTANCE_FILE = 'instance.json'
const WATCH_INTERVAL_MS = 1000
/** How long the rest of an answer may take to leave when the program ends. */
const LAST_BYTES_MS = 5000

/** Opens the data folder and puts everything together. Throws DatabaseError where the folder is in use or not ours. */
export async function openApp(config: Config, log: Log, clock: Clock = SYSTEM_CLOCK): Promise<App> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const lock = lockDataDir(config.dataDir)
  try {
    // Whoever holds the lock is the only Farebox here, so a note about another one is left over from a process that died.
    rmSync(join(config.dataDir, INSTANCE_FILE), { force: true })
    if (finishRestore(config.dataDir)) log('Completed the restore of a backup that had been interrupted.')
  } catch (error) {
    lock.release()
    throw error
  }
  const workerData = { dataDir: config.dataDir }
  const writer = new DatabaseThread<WriterOperations>(new URL('./writer-thread.ts', import.meta.url), workerData)
  try {
    const parts = await assemble(config, log, clock, writer)
    return new RunningApp(config, { ...parts, log, writer, release: () => lock.release() })
  } catch (error) {
    await writer.close().catch(() => undefined)
    lock.release()
    throw error
  }
}

type Parts = Awaited<ReturnType<typeof assemble>>
type OpenParts = Parts & {
  readonly log: Log
  readonly writer: DatabaseThread<WriterOperations>
  readonly release: () => void
}

async function assemble(config: Config, log: Log, clock: Clock, writer: DatabaseThread<WriterOperations>) {
  const newId = uuidV7Generator(clock.nowMs, pooledRandom())
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const chargedSinceMs = cycleStart('daily', timeZone, clock.nowMs())
  const loaded = await writer.call('load', { chargedSinceMs })
  const catalog = new Catalog(loaded.catalog, loaded.priceVersions)
  const journal = new Journal((batch) => writer.call('append', batch))
  const ledger = new Ledger({ journal, nowMs: clock.nowMs, holdWaitMs: config.holdWaitMs })
  await restoreLedger(ledger, catalog, loaded.ledger, log)
  const open = new OpenExchanges()
  const drains = new Drains()
  const secrets = openVault({ dataDir: config.dataDir, keyFile: config.vaultKeyFile })
  const context: CatalogContext = {
    catalog,
    ledger,
    secrets,
    nowMs: clock.nowMs,
    newId,
    randomBytes,
    hashKey,
    timeZone,
    write: (changes, batch) =>
      writer.call('change', { changes, batch: batch ?? { entries: [], usage: [], balances: [] } }),
    keyBlocked: (keyId) => open.stopKey(keyId),
  }
  const ownListener = new OwnListener()
  const connections = connectionsFor(config, ownListener)
  const http = new HttpTransport({ secrets, connections, userAgent: USER_AGENT })
  const gate = new Gate({ nowMs: clock.nowMs, waits: config.rateLimitWait, maxWaitMs: config.rateLimitWaitMs })
  const reportFault = (error: unknown, requestId: string) =>
    log(`fault in request ${requestId}: ${describeFault(error)}`)
  const transport = transportOf(http, new DemoTransport(clock.nowMs))
  const adaptations = new Adaptations()
  const providerGate = new ProviderGate({ nowMs: clock.nowMs, timeZone, maxWaitMs: config.rateLimitWaitMs })
  providerGate.restore(loaded.charged)
  const routing: RoutingDeps = {
    health: new Health(),
    gate: providerGate,
    monotonicMs: clock.monotonicMs,
    random: Math.random,
    retryDelayMs: config.upstreamRetryDelayMs,
  }
  const counter = new Tokenizer({ script: new URL('./tokenizer-thread.ts', import.meta.url) })
  return {
    isSummarised: loaded.ledger.isSummarised,
    clock,
    newId,
    catalog,
    ledger,
    open,
    drains,
    secrets,
    context,
    ownListener,
    connections,
    gate,
    reportFault,
    transport,
    counter,
    adaptations,
    routing,
    maxAttempts: config.upstreamAttempts,
  }
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
  await Promise.all(state.changedTerms.map(({ keyId, terms }) => ledger.changeTerms(keyId, { terms, reason })))
  const released = await ledger.releaseOrphans((hold) => orphanSettlement(hold, catalog))
  if (released > 0) log(`Released ${released} holds of calls that were interrupted when Farebox last ended.`)
}

function stopSpending(ledger: Ledger, problems: readonly string[], log: Log): void {
  const text = problems.join('; ')
  ledger.stopSpending(text)
  log(`The ledger does not add up, so no calls are admitted. ${text}. See: farebox ledger verify`)
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

function transportOf(http: HttpTransport, demo: DemoTransport): Transport {
  return { send: (request, listener) => (request.provider.dialect === 'demo' ? demo : http).send(request, listener) }
}

class RunningApp implements App {
  readonly #config: Config
  readonly #parts: OpenParts
  readonly #server: ReturnType<typeof buildServer>
  readonly #hosts = new Set([IN_PROCESS_HOST])
  readonly #adminToken = randomBytes(32).toString('base64url')
  readonly #startedAtMs = Date.now()
  readonly #watch: NodeJS.Timeout
  readonly #connections = new Set<Socket>()
  readonly #side: SideThreads
  readonly #check: BooksCheck
  #reports: DatabaseThread<ReportOperations> | undefined
  #url: string | undefined

  constructor(config: Config, parts: OpenParts) {
    this.#config = config
    this.#parts = parts
    this.#side = new SideThreads(config.dataDir)
    this.#check = this.#booksCheck()
    this.#server = buildServer({
      ...parts,
      hashKey,
      readReceipt: (id) => this.#report().call('receipt', id),
      version: VERSION,
      hosts: this.#hosts,
      adminToken: this.#adminToken,
      adminHandlers: adminHandlers({
        context: parts.context,
        status: () => this.#status(),
        testProvider: (provider, model) => probeProvider(provider, { ...parts, userAgent: USER_AGENT, model }),
        discover: (ports = {}) => discoverServers({ ...parts, ports }),
        listModels: (provider, place) => listModels(provider, place, { ...parts, userAgent: USER_AGENT }),
        listUsage: (filter) => this.#report().call('usage', filter),
        readReceipt: (id) => this.#report().call('receipt', id),
        verifyLedger: () => this.#report().call('verify', undefined),
        backUp: (request) => this.#side.run((thread) => thread.call('backUp', request)),
      }),
    })
    this.#watch = setInterval(() => this.#look(), WATCH_INTERVAL_MS)
  }

  async listen(port: number): Promise<string> {
    this.#server.server.on('connection', (connection: Socket) => {
      this.#connections.add(connection)
      connection.once('close', () => this.#connections.delete(connection))
    })
    await this.#server.listen({ host: '127.0.0.1', port })
    const address = this.#server.server.address()
    const actualPort = typeof address === 'object' && address !== null ? address.port : port
    this.#parts.ownListener.listensOn(actualPort)
    for (const host of loopbackHosts(actualPort)) this.#hosts.add(host)
    this.#url = `http://127.0.0.1:${actualPort}`
    this.#writeInstance({ url: this.#url, pid: process.pid, token: this.#adminToken })
    if (this.#parts.isSummarised) void this.#check.run()
    else this.#check.skip()
    return this.#url
  }

  async inject(request: { method: string; path: string; body: unknown }): Promise<{ status: number; body: unknown }> {
    const response = await this.#server.inject({
      method: request.method as 'GET',
      url: request.path,
      headers: {
        host: IN_PROCESS_HOST,
        authorization: `Bearer ${this.#adminToken}`,
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(request.body === undefined ? {} : { payload: JSON.stringify(request.body) }),
    })
    return { status: response.statusCode, body: JSON.parse(response.payload) as unknown }
  }

  setUpDemo(): Promise<string | undefined> {
    return setUpDemo(this.#parts.context)
  }

  async close(): Promise<void> {
    const { open, drains, ledger, connections, writer, counter, release } = this.#parts
    clearInterval(this.#watch)
    // New connections are refused at once; those with an answer under way are ended by the drain below.
    const closed = this.#server.close()
    // Nobody waits for them.
    drains.close()
    await open.drain(this.#config.shutdownGraceMs)
    // Each connection ends once what was answered on it has left; one whose client does not read is cut.
    for (const connection of this.#connections) connection.destroySoon()
    const cut = setTimeout(() => this.#server.server.closeAllConnections(), LAST_BYTES_MS)
    await closed
    clearTimeout(cut)
    await connections.close()
    if (ledger.state !== 'halted') await ledger.flush()
    this.#check.close()
    await this.#side.abandon()
    await this.#reports?.close()
    await counter.close()
    await writer.close()
    if (this.#url !== undefined) rmSync(this.#instancePath, { force: true })
    release()
  }

  #booksCheck(): BooksCheck {
    const { ledger, log, clock } = this.#parts
    return new BooksCheck({
      verify: () => this.#side.run((thread) => thread.call('verify', undefined)),
      nowMs: clock.nowMs,
      onProblems(problems) {
        if (ledger.state !== 'mismatch') stopSpending(ledger, problems, log)
      },
      onFailure(error, retryMs) {
        const again = `It is tried again in ${retryMs / 1000} s.`
        log(`The older entries of the ledger could not be checked. ${again} ${describeFault(error)}`)
      },
    })
  }

  /** The report thread is started by the first report, so that nobody pays for it who never asks. */
  #report(): DatabaseThread<ReportOperations> {
    const workerData = { dataDir: this.#config.dataDir }
    this.#reports ??= new DatabaseThread(new URL('./report-thread.ts', import.meta.url), workerData)
    return this.#reports
  }

  /** Ends answers that take too long, those of keys that have expired meanwhile, and connections that nobody needs. */
  #look(): void {
    const { open, catalog, clock, connections } = this.#parts
    connections.retain(catalog.providers.filter((provider) => provider.dialect !== 'demo'))
    open.look()
    open.stopOlderThan(clock.monotonicMs() - this.#config.upstreamTotalTimeoutMs)
    for (const keyId of open.keyIds()) {
      const key = catalog.key(keyId)
      if (key !== undefined && keyStatus(key, clock.nowMs()) !== 'active') open.stopKey(keyId)
    }
  }

  #status() {
    const { ledger, catalog, open } = this.#parts
    return {
      state: 'running' as const,
      version: VERSION,
      url: this.#url ?? null,
      pid: process.pid,
      data_dir: this.#config.dataDir,
      started_at: iso(this.#startedAtMs),
      ledger: ledger.state,
      ledger_check: this.#check.state,
      ledger_checked_at: this.#check.checkedAtMs === undefined ? null : iso(this.#check.checkedAtMs),
      secrets: this.#config.secrets,
      open_exchanges: open.size,
      held_credits: microToCredits(ledger.heldMicro),
      providers: catalog.providers.length,
      models: catalog.models.length,
      packages: catalog.packages.length,
      keys: catalog.keys.length,
      targets: targetsView(this.#parts),
      provider_use: providerUseView(this.#parts),
    }
  }

  get #instancePath(): string {
    return join(this.#config.dataDir, INSTANCE_FILE)
  }

  /** Tells the command line where this process listens and what to present. Only this user can read the file. */
  #writeInstance(instance: { url: string; pid: number; token: string }): void {
    const draft = `${this.#instancePath}.new`
    writeFileSync(draft, JSON.stringify(instance), { mode: 0o600 })
    if (process.platform !== 'win32') chmodSync(draft, 0o600)
    renameSync(draft, this.#instancePath)
  }
}

/** SHA-256, base64url: keys are random, so that neither salt nor a slow hash would add anything. */
function hashKey(key: string): string {
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
function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return 'not an error'
  const place = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '))
  return `${error.name} ${place?.trim() ?? ''}`
}
