// The composition root: from an open data folder to a running Farebox.

import { setTimeout as sleep } from 'node:timers/promises'
import { AccountBalances } from '#app/account-balances.ts'
import type { BillWatch } from '#app/bill-watch.ts'
import { billWatchOf } from '#app/bill-watching.ts'
import { fleetCalls, fleetReceipts } from '#app/fleet.ts'
import { descriptorLimit, DescriptorWatch } from '#app/descriptors.ts'
import { startGuards } from '#app/guards.ts'
import { LanListener } from '#app/lan-listener.ts'
import { removeInstance, removeOpenPages, writeInstance } from '#app/notes.ts'
import type { MovedBooks } from '#app/move-books.ts'
import { Once } from '#app/once.ts'
import { OpenPages } from '#app/open-pages.ts'
import { openOperations, type Operations } from '#app/operations.ts'
import { OwnAddress } from '#app/own-address.ts'
import { assemble, USER_AGENT, type Parts } from '#app/parts.ts'
import { ReadingThreads } from '#app/reading-threads.ts'
import { statusOf } from '#app/status.ts'
import { settingChanges, type SettingChanges } from '#app/shared-settings.ts'
import { booksCheck, noteLostChanges } from '#app/stores.ts'
import { noteVault } from '#app/vault-note.ts'
import { visitsOf } from '#app/visiting.ts'
import type { WriterAhead } from '#app/writer-ahead.ts'
import { VERSION, type Config } from '#config/config.ts'
import { LiveSettings } from '#config/live-settings.ts'
import { DASHBOARD_DIR, OWN_COMMAND } from '#config/program-files.ts'
import { SideThreads } from '#threads/side-threads.ts'
import type { WriterOperations } from '#threads/writer-operations.ts'
import { setUpDemo } from '#catalog/demo.ts'
import type { Surroundings } from '#connect/expand.ts'
import { shareDescriptors, type DescriptorShares } from '#core/descriptor-shares.ts'
import { isDoneWithin } from '#core/done-within.ts'
import type { Log } from '#core/log.ts'
import type { FleetErrand } from '#fleet/membership.ts'
import type { BooksCheck } from '#ledger/books-check.ts'
import type { Clock } from '#pipeline/ports.ts'
import { askBalance } from '#provider/account-balance.ts'
import { forkKeychain, type StartKeychain } from '#secret/keychain-child.ts'
import type { AdminHandlers } from '#server/admin/handlers.ts'
import { ClientConnections, Listeners } from '#server/http/client-connections.ts'
import { buildServer, type ServerDeps } from '#server/http/server.ts'
import type { Visits } from '#server/sign-in/visits.ts'
import type { BillStanding } from '#server/watch/bill-standing.ts'
import type { DatabaseThread } from '#store/database-thread.ts'

export type App = {
  /** Starts to serve on loopback. Rejects with the system's error, such as EADDRINUSE. */
  listen(port: number): Promise<string>
  /** Serves one request of the admin API in process, without a listener; for `farebox` itself unless said otherwise. */
  inject(request: InProcessRequest, as?: 'farebox' | 'command line'): Promise<{ status: number; body: unknown }>
  /** Where the dashboard is, with a ticket that signs in once within a minute. */
  dashboardUrl(): Promise<string>
  /** Sets up the demo where nothing is set up; returns the first key if it did. */
  setUpDemo(): Promise<string | undefined>
  /** Tells when a call has ended, whatever became of it; until the function that is returned is called. */
  onExchangeEnd(listener: () => void): () => void
  /** After the machine slept: connections that were open then lead nowhere. Running calls keep theirs. */
  afterSleep(): void
  /** Does what it was opened for. */
  moveBooks(errand: FleetErrand): Promise<MovedBooks>
  /** Lets running answers finish for a while, writes everything down and ends. False: a thread still reads, since nobody can interrupt a statement of SQLite. */
  close(): Promise<boolean>
}

type InProcessRequest = { readonly method: string; readonly path: string; readonly body: unknown }

const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() }
/** How long the rest of an answer may take to leave when the program ends. */
const LAST_BYTES_MS = 5000
/** How long threads that read may take to end, when nobody waits for what they read. */
const LAST_READS_MS = 2000

/** What the host of an app may bring. */
export type AppSurroundings = {
  readonly clock?: Clock
  /** The thread of the database, where the host has started it already. */
  readonly writer?: WriterAhead
  /** How the process of the keychain is started; as a child of Node unless given. */
  readonly startKeychain?: StartKeychain
  /** Where the tools of this user keep their settings; without it none of them can be connected. */
  readonly tools?: Surroundings
  /** What a command opens the folder for; the app moves its books then, and is closed. */
  readonly errand?: FleetErrand
}

/** What `openApp` has by the time everything else is loaded. */
export type Opened = {
  readonly config: Config
  readonly log: Log
  readonly writer: DatabaseThread<WriterOperations>
  /** Lets others have the data folder. */
  readonly release: () => void
}

/** Puts everything together on a data folder that is open. What is opened here is closed where that fails; the writer is not. */
export async function runApp(opened: Opened, surroundings: AppSurroundings): Promise<App> {
  const { log, writer } = opened
  const live = new LiveSettings(opened.config)
  const { config } = live
  const { clock = SYSTEM_CLOCK, startKeychain = forkKeychain(), errand } = surroundings
  let parts: Parts | undefined
  try {
    const shares = shareDescriptors(descriptorLimit())
    const made = await assemble({ config, log, clock, writer, startKeychain, shares, errand })
    parts = made
    live.restore(made.stores.atStart.settings)
    const settings = settingChanges({ live, parts: made, log, writer })
    const side = new SideThreads(config.dataDir, () => made.stores.projection.settled())
    const listeners = new Listeners(shares.connections, (error) => descriptors.failed(error))
    const descriptors = new DescriptorWatch({ ...shares, ...clock, log, shed: (count) => listeners.shed(count) })
    const clients = new ClientConnections(listeners)
    const bills: BillStanding = { latest: undefined }
    const operations = openOperations({ config, parts, log, side, bills, connections: () => listeners.size, shares })
    const inside = {
      ...opened,
      config,
      live,
      parts,
      side,
      clients,
      shares,
      descriptors,
      operations,
      bills,
      settings,
      tools: surroundings.tools,
    }
    return new RunningApp({ ...inside, serving: openServing(inside) })
  } catch (error) {
    await parts?.stores.close()
    throw error
  }
}

type Inside = Opened & {
  /** `config` is what is in here. */
  readonly live: LiveSettings
  readonly settings: SettingChanges
  readonly parts: Parts
  readonly side: SideThreads
  /** Of the listener for this machine. */
  readonly clients: ClientConnections
  readonly shares: DescriptorShares
  readonly descriptors: DescriptorWatch
  readonly operations: Operations
  readonly bills: BillStanding
  readonly tools: Surroundings | undefined
}

/** The ways in, each made when somebody first takes it. */
type Serving = {
  readonly own: OwnAddress
  readonly server: ReturnType<typeof buildServer>
  readonly lan: LanListener
  /** Makes the server for other machines. */
  readonly buildForLan: Parameters<LanListener['open']>[0]
  readonly visits: Once<Visits>
  readonly openPages: OpenPages
  readonly reading: ReadingThreads
  readonly check: BooksCheck
  readonly balances: AccountBalances
  readonly billWatch: BillWatch
}

function openServing(inside: Inside): Serving {
  const { config, log, parts, writer, side, clients, operations } = inside
  const { clock, stores, calling, context, faults } = parts
  const own = new OwnAddress()
  const openPages = new OpenPages(config.dataDir)
  const reading = new ReadingThreads(config.dataDir, () => stores.projection.settled())
  const check = booksCheck({ ledger: stores.ledger, clock, log, side })
  const visits = visitsOf({ log, parts, writer }, reading)
  const lan = new LanListener({ config, parts, log, save: (settings) => writer.call('changeLan', settings) })
  const balances = balancesOf(inside, reading)
  const billWatch: BillWatch = billWatchOf({ ...inside, reading, handlers: () => administration.get() })
  const administration = administrationOf(inside, { own, openPages, reading, check, visits, lan, balances, billWatch })
  const deps: Omit<ServerDeps, 'hosts'> = {
    ...stores,
    ...calling,
    ...faults,
    ...operations,
    alerts: parts.alerting.alerts,
    clients,
    clock,
    hashKey: context.hashKey,
    readReceipt: fleetReceipts(calling.leases, (id) => reading.receipts.call('receipt', id)),
    elsewhere: fleetCalls(calling.leases),
    readSession: (of) => reading.receipts.call('session', of),
    findRefused: (id) => reading.findRefused(id, calling.refused),
    missed: (question) => reading.reports.call('missed', question),
    version: VERSION,
    adminToken: own.adminToken,
    inProcessToken: own.inProcessToken,
    dashboardDir: DASHBOARD_DIR,
    ownCommand: OWN_COMMAND,
    adminHandlers: () => administration.get(),
    visits: () => visits.get(),
  }
  const server = buildServer({ ...deps, hosts: own.hosts })
  const buildForLan: Serving['buildForLan'] = ({ hosts, ...rules }) => buildServer({ ...deps, hosts, lan: rules })
  return { own, server, lan, buildForLan, visits, openPages, reading, check, balances, billWatch }
}

function balancesOf({ config, parts, writer }: Inside, reading: ReadingThreads): AccountBalances {
  const { clock, stores, calling, secrets } = parts
  const now = { nowMs: () => clock.nowMs() }
  return new AccountBalances({
    ...now,
    providers: () => stores.catalog.providers,
    ask: (provider, what) => askBalance(provider, what, { ...calling, ...secrets, ...now, userAgent: USER_AGENT }),
    keep: (said) => writer.call('keepBalances', said),
    stored: () => reading.reports.call('accountBalances', undefined),
    every: () => config.balancesEvery,
  })
}

type ForAdministration = Omit<Serving, 'server' | 'buildForLan'>

function administrationOf(
  { config, live, settings, parts, writer, operations, side, bills, tools }: Inside,
  { own, openPages, reading, check, visits, lan, balances, billWatch }: ForAdministration,
): Once<AdminHandlers> {
  const startedAtMs = Date.now()
  return new Once(async () => {
    const { administration } = await import('#app/administration.ts')
    return administration({
      config,
      live,
      settings,
      keptBills: {
        keep: (report) => writer.call('keepBill', report).finally(() => billWatch.changed()),
        forget: (providerId) => writer.call('forgetBills', providerId).finally(() => billWatch.changed()),
      },
      balances,
      parts,
      operations,
      reading,
      side,
      visits: await visits.get(),
      lan: () => lan.control(),
      tools,
      url: () => own.url,
      ticketMade: () => openPages.ticketMade(),
      status: () => statusOf({ config, parts, operations, lan, check, bills, url: own.url, startedAtMs }),
    })
  })
}

class RunningApp implements App {
  readonly #inside: Inside
  readonly #serving: Serving
  readonly #stopGuards: () => void

  constructor({ serving, ...inside }: Inside & { readonly serving: Serving }) {
    this.#inside = inside
    this.#serving = serving
    this.#stopGuards = startGuards({ ...inside, sweepVisits: () => serving.visits.made?.sweep() })
  }

  async listen(port: number): Promise<string> {
    const { config, parts, clients, operations, log } = this.#inside
    const { own, server, lan, buildForLan, check, balances, billWatch } = this.#serving
    const { overdue, atStart } = parts.stores
    clients.watch(server.server)
    await server.listen({ host: '127.0.0.1', port })
    const address = server.server.address()
    const actualPort = typeof address === 'object' && address !== null ? address.port : port
    parts.calling.ownListener.listensOn(actualPort)
    const url = own.listensOn(actualPort)
    writeInstance(config.dataDir, { url, pid: process.pid, token: own.adminToken })
    overdue.begin()
    parts.alerting.deliveries.begin()
    parts.alerting.alerts.begin()
    // After an end that nobody meant the pages of the file are looked at too, whatever was read of it.
    if (atStart.isSummarised || !atStart.endedWell) void check.run()
    else check.skip()
    if (config.secrets === 'keychain') await noteVault(parts.context, log)
    await lan.open(buildForLan)
    operations.backups?.start()
    balances.start()
    billWatch.start()
    operations.readiness.begin()
    return url
  }

  async inject(
    request: InProcessRequest,
    as: 'farebox' | 'command line' = 'farebox',
  ): Promise<{ status: number; body: unknown }> {
    const { own, server } = this.#serving
    const token = as === 'farebox' ? own.inProcessToken : own.adminToken
    const response = await server.inject({
      method: request.method as 'GET',
      url: request.path,
      headers: {
        host: own.inProcessHost,
        authorization: `Bearer ${token}`,
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(request.body === undefined ? {} : { payload: JSON.stringify(request.body) }),
    })
    return { status: response.statusCode, body: JSON.parse(response.payload) as unknown }
  }

  async dashboardUrl(): Promise<string> {
    const { own, visits } = this.#serving
    const { ticket } = (await visits.get()).tickets.make()
    return `${own.url}/#ticket=${ticket}`
  }

  async setUpDemo(): Promise<string | undefined> {
    const { config, parts } = this.#inside
    const { catalog, ledger } = parts.stores
    // Where everything was lost nothing is set up in its place.
    // Of gateways that share their books none is the first to make something up.
    if (parts.calling.leases !== undefined) return undefined
    if (!config.demo || !catalog.isFresh || ledger.state === 'mismatch') return undefined
    return setUpDemo(parts.context)
  }

  onExchangeEnd(listener: () => void): () => void {
    return this.#inside.parts.calling.open.onRemoved(listener)
  }

  afterSleep(): void {
    this.#inside.parts.calling.connections.retain([])
  }

  async moveBooks(errand: FleetErrand): Promise<MovedBooks> {
    const { moveBooks } = await import('#app/move-books.ts')
    return moveBooks(errand, this.#inside.parts)
  }

  async close(): Promise<boolean> {
    const { config, log, parts, writer, side, operations, release } = this.#inside
    const { own, visits, openPages, reading, check, balances, billWatch } = this.#serving
    const { ledger, overdue } = parts.stores
    if (config.shutdownNoticeMs > 0 && operations.readiness.leave()) await sleep(config.shutdownNoticeMs)
    operations.readiness.end()
    this.#stopGuards()
    openPages.stop()
    await this.#closeListeners()
    const balancesDone = balances.close()
    billWatch.close()
    await parts.calling.connections.close()
    await balancesDone
    await parts.calling.refused.close()
    if (ledger.state !== 'halted') await ledger.flush()
    await parts.calling.leases?.close()
    check.close()
    const sideEnded = side.abandon()
    await operations.close()
    await parts.alerting.alerts.close()
    await parts.alerting.deliveries.close()
    await visits.made?.close()
    const readersEnded = Promise.allSettled([sideEnded, reading.close()])
    await parts.calling.counter.close()
    parts.secrets.keychain.close()
    if (!(await overdue.close())) noteLostChanges(log, overdue.size)
    await parts.stores.close()
    await writer.close()
    if (own.url !== undefined) removeInstance(config.dataDir)
    removeOpenPages(config.dataDir)
    release()
    return isDoneWithin(readersEnded, LAST_READS_MS)
  }

  /** Answers that are under way may finish for a while. */
  async #closeListeners(): Promise<void> {
    const { config, parts, clients } = this.#inside
    const { server, lan } = this.#serving
    const { drains, open } = parts.calling
    // New connections are refused at once; those with an answer under way are ended by the drain below.
    const closed = Promise.all([server.close(), lan.close()])
    // Nobody waits for them.
    drains.close()
    await open.drain(config.shutdownGraceMs)
    // Each connection ends once what was answered on it has left; one whose client does not read is cut.
    clients.end()
    lan.endConnections()
    const cut = setTimeout(() => {
      server.server.closeAllConnections()
      lan.cut()
    }, LAST_BYTES_MS)
    await closed
    clearTimeout(cut)
  }
}
