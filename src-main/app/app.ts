// The composition root: from a configuration to a running Farebox. The hosts (headless,
// the command line, the desktop shell) open an app and close it again.

import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { statusOf } from '#app/status.ts'
import { VERSION, type Config } from '#config/config.ts'
import { removeInstance, removeOpenPages, writeInstance } from '#app/notes.ts'
import { openOperations, type Operations } from '#app/operations.ts'
import { assemble, describeFault, hashKey, stopSpending, type Parts } from '#app/parts.ts'
import { DASHBOARD_DIR, scriptFile } from '#config/program-files.ts'
import type { ReportOperations, ReportThreadData } from '#threads/report-thread.ts'
import { SideThreads } from '#threads/side-threads.ts'
import type { WriterOperations } from '#threads/writer-thread.ts'
import { LanListener } from '#app/lan-listener.ts'
import { setUpDemo } from '#catalog/demo.ts'
import { countSecrets } from '#catalog/secrets.ts'
import type { Log } from '#core/log.ts'
import { OPEN_PAGE_LIFE_MS } from '#core/open-page.ts'
import { BooksCheck } from '#ledger/books-check.ts'
import type { Clock } from '#pipeline/ports.ts'
import { forkKeychain, type StartKeychain } from '#secret/keychain-child.ts'
import type { AdminHandlers } from '#server/admin/admin.ts'
import { ClientConnections } from '#server/http/client-connections.ts'
import type { Door } from '#server/sign-in/door.ts'
import { loopbackHosts } from '#server/http/guard.ts'
import { buildServer, type ServerDeps } from '#server/http/server.ts'
import { DatabaseThread, READER_LIMITS } from '#store/database-thread.ts'
import { lockDataDir } from '#store/lock.ts'
import { finishRestore } from '#store/restore.ts'

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
  /** Lets running answers finish for a while, writes everything down and ends. */
  close(): Promise<void>
}

type InProcessRequest = { readonly method: string; readonly path: string; readonly body: unknown }

/** The name under which requests in process address the server: made anew at each start, so that nobody outside knows it. */
const IN_PROCESS_HOST = `in-process-${randomBytes(16).toString('hex')}`
const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() }
const WATCH_INTERVAL_MS = 1000
/** How long the rest of an answer may take to leave when the program ends. */
const LAST_BYTES_MS = 5000

/** What the host of an app may bring. */
export type AppSurroundings = {
  readonly clock?: Clock
  /** How the process of the keychain is started; as a child of Node unless given. */
  readonly startKeychain?: StartKeychain
}

/** Opens the data folder and puts everything together. Throws DatabaseError where the folder is in use or not ours. */
export async function openApp(config: Config, log: Log, surroundings: AppSurroundings = {}): Promise<App> {
  const { clock = SYSTEM_CLOCK, startKeychain = forkKeychain() } = surroundings
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const lock = lockDataDir(config.dataDir)
  try {
    // Whoever holds the lock is the only Farebox here, so a note about another one is left over from a process that died.
    removeInstance(config.dataDir)
    removeOpenPages(config.dataDir)
    if (finishRestore(config.dataDir)) {
      log('Completed the restore of a backup that had been interrupted.', { event: 'restore_completed' })
    }
  } catch (error) {
    lock.release()
    throw error
  }
  const workerData = { dataDir: config.dataDir }
  const writer = new DatabaseThread<WriterOperations>(scriptFile('writer-thread'), workerData)
  try {
    const parts = await assemble({ config, log, clock, writer, startKeychain })
    const side = new SideThreads(config.dataDir)
    const clients = new ClientConnections()
    const operations = openOperations({ config, parts, log, side, connections: () => clients.size })
    return new RunningApp(config, { ...parts, log, writer, side, clients, operations, release: () => lock.release() })
  } catch (error) {
    await writer.close().catch(() => undefined)
    lock.release()
    throw error
  }
}

type OpenParts = Parts & {
  readonly log: Log
  readonly writer: DatabaseThread<WriterOperations>
  readonly side: SideThreads
  readonly clients: ClientConnections
  readonly operations: Operations
  readonly release: () => void
}

class RunningApp implements App {
  readonly #config: Config
  readonly #parts: OpenParts
  readonly #server: ReturnType<typeof buildServer>
  readonly #lan: LanListener
  readonly #hosts = new Set([IN_PROCESS_HOST])
  readonly #adminToken = randomBytes(32).toString('base64url')
  readonly #inProcessToken = randomBytes(32).toString('base64url')
  readonly #startedAtMs = Date.now()
  readonly #watch: NodeJS.Timeout
  readonly #check: BooksCheck
  #reports: DatabaseThread<ReportOperations> | undefined
  #openPageTimer: NodeJS.Timeout | undefined
  #receipts: DatabaseThread<ReportOperations> | undefined
  #adminHandlers: Promise<AdminHandlers> | undefined
  #door: Promise<Door> | undefined
  /** The same once it is there, for what must not wait. */
  #openedDoor: Door | undefined
  #url: string | undefined

  constructor(config: Config, parts: OpenParts) {
    this.#config = config
    this.#parts = parts
    this.#check = this.#booksCheck()
    const deps: Omit<ServerDeps, 'hosts'> = {
      ...parts,
      ...parts.operations,
      hashKey,
      readReceipt: (id) => this.#receiptThread().call('receipt', id),
      missed: (question) => this.#reportThread().call('missed', question),
      version: VERSION,
      adminToken: this.#adminToken,
      inProcessToken: this.#inProcessToken,
      dashboardDir: DASHBOARD_DIR,
      adminHandlers: () => this.#administration(),
      door: () => this.#openDoor(),
    }
    this.#server = buildServer({ ...deps, hosts: this.#hosts })
    this.#lan = new LanListener({
      parts,
      dataDir: config.dataDir,
      log: parts.log,
      graceMs: config.shutdownGraceMs,
      save: (settings) => parts.writer.call('changeLan', settings),
      build: ({ hosts, ...lan }) => buildServer({ ...deps, hosts, lan }),
    })
    this.#watch = setInterval(() => this.#look(), WATCH_INTERVAL_MS)
  }

  async listen(port: number): Promise<string> {
    const { clients, operations } = this.#parts
    clients.watch(this.#server.server)
    await this.#server.listen({ host: '127.0.0.1', port })
    const address = this.#server.server.address()
    const actualPort = typeof address === 'object' && address !== null ? address.port : port
    this.#parts.ownListener.listensOn(actualPort)
    for (const host of loopbackHosts(actualPort)) this.#hosts.add(host)
    this.#url = `http://127.0.0.1:${actualPort}`
    writeInstance(this.#config.dataDir, { url: this.#url, pid: process.pid, token: this.#adminToken })
    this.#parts.overdue.begin()
    // After an end that nobody meant the pages of the file are looked at too, whatever was read of it.
    if (this.#parts.isSummarised || !this.#parts.endedWell) void this.#check.run()
    else this.#check.skip()
    if (this.#config.secrets === 'keychain') await this.#noteVault()
    await this.#lan.open()
    operations.backups?.start()
    operations.readiness.begin()
    return this.#url
  }

  async inject(
    request: InProcessRequest,
    as: 'farebox' | 'command line' = 'farebox',
  ): Promise<{ status: number; body: unknown }> {
    const token = as === 'farebox' ? this.#inProcessToken : this.#adminToken
    const response = await this.#server.inject({
      method: request.method as 'GET',
      url: request.path,
      headers: {
        host: IN_PROCESS_HOST,
        authorization: `Bearer ${token}`,
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(request.body === undefined ? {} : { payload: JSON.stringify(request.body) }),
    })
    return { status: response.statusCode, body: JSON.parse(response.payload) as unknown }
  }

  async dashboardUrl(): Promise<string> {
    const { ticket } = (await this.#openDoor()).tickets.make()
    return `${this.#url}/#ticket=${ticket}`
  }

  async setUpDemo(): Promise<string | undefined> {
    // Only the very first start needs it.
    const { catalog, ledger } = this.#parts
    // Where everything was lost nothing is set up in its place.
    if (!this.#config.demo || !catalog.isFresh || ledger.state === 'mismatch') return undefined
    return setUpDemo(this.#parts.context)
  }

  onExchangeEnd(listener: () => void): () => void {
    return this.#parts.open.onRemoved(listener)
  }

  afterSleep(): void {
    this.#parts.connections.retain([])
  }

  async close(): Promise<void> {
    const {
      open,
      drains,
      ledger,
      connections,
      writer,
      overdue,
      counter,
      keychain,
      operations,
      side,
      clients,
      release,
    } = this.#parts
    operations.readiness.end()
    clearInterval(this.#watch)
    clearTimeout(this.#openPageTimer)
    // New connections are refused at once; those with an answer under way are ended by the drain below.
    const closed = Promise.all([this.#server.close(), this.#lan.close()])
    // Nobody waits for them.
    drains.close()
    await open.drain(this.#config.shutdownGraceMs)
    // Each connection ends once what was answered on it has left; one whose client does not read is cut.
    clients.end()
    this.#lan.endConnections()
    const cut = setTimeout(() => {
      this.#server.server.closeAllConnections()
      this.#lan.cut()
    }, LAST_BYTES_MS)
    await closed
    clearTimeout(cut)
    await connections.close()
    if (ledger.state !== 'halted') await ledger.flush()
    this.#check.close()
    await side.abandon()
    await operations.close()
    await this.#openedDoor?.close()
    await this.#reports?.close()
    await this.#receipts?.close()
    await counter.close()
    keychain.close()
    if (!(await overdue.close())) this.#noteOverdue()
    await writer.close()
    if (this.#url !== undefined) removeInstance(this.#config.dataDir)
    removeOpenPages(this.#config.dataDir)
    release()
  }

  #noteOverdue(): void {
    const { overdue, log } = this.#parts
    const line = `The disk is full: ${overdue.size} keys or members that were blocked will not be blocked at the next start.`
    log(line, { event: 'changes_lost', level: 'error', fields: { count: overdue.size } })
  }

  #booksCheck(): BooksCheck {
    const { ledger, log, clock, side } = this.#parts
    return new BooksCheck({
      verify: () => side.run((thread) => thread.call('verify', undefined)),
      nowMs: clock.nowMs,
      onProblems(problems) {
        if (ledger.state !== 'mismatch') stopSpending(ledger, problems, log)
      },
      onFailure(error, retryMs) {
        const again = `It is tried again in ${retryMs / 1000} s.`
        const line = `The older entries of the ledger could not be checked. ${again} ${describeFault(error)}`
        log(line, { event: 'ledger_check_failed', level: 'warning', fields: { retry_ms: retryMs } })
      },
    })
  }

  /** Says it when secrets are where they are not looked for. The keychain is not asked: that is for the first call that needs it. */
  async #noteVault(): Promise<void> {
    const { context, log } = this.#parts
    const count = await countSecrets(context, context.otherSecrets)
    if (count === 0) return
    const line = `${count} secrets are in the vault, which FAREBOX_SECRETS does not choose: 'farebox secret move' brings them over.`
    log(line, { event: 'secrets_elsewhere', level: 'warning', fields: { count } })
  }

  /** Threads for reading are started by their first question, so that nobody pays for them who never asks. */
  #reportThread(): DatabaseThread<ReportOperations> {
    this.#reports ??= this.#readingThread({ isPatient: true })
    return this.#reports
  }

  /** Receipts are asked for by clients, who must not wait for somebody's report. */
  #receiptThread(): DatabaseThread<ReportOperations> {
    this.#receipts ??= this.#readingThread({ isPatient: false })
    return this.#receipts
  }

  #readingThread({ isPatient }: Pick<ReportThreadData, 'isPatient'>): DatabaseThread<ReportOperations> {
    const workerData: ReportThreadData = { dataDir: this.#config.dataDir, isPatient, readsOnce: false }
    return new DatabaseThread(scriptFile('report-thread'), workerData, READER_LIMITS)
  }

  /** Ends answers that take too long, those of keys that have expired meanwhile, and connections that nobody needs. */
  #look(): void {
    const { open, catalog, clock, connections, operations } = this.#parts
    operations.memory.look()
    connections.retain(catalog.providers.filter((provider) => provider.dialect !== 'demo'))
    open.look()
    this.#openedDoor?.sweep()
    open.stopOlderThan(clock.monotonicMs() - this.#config.upstreamTotalTimeoutMs)
    for (const keyId of open.keyIds()) {
      const key = catalog.key(keyId)
      if (key !== undefined && catalog.statusOf(key, clock.nowMs()) !== 'active') open.stopKey(keyId)
    }
  }

  #administration(): Promise<AdminHandlers> {
    this.#adminHandlers ??= this.#putTogether()
    this.#adminHandlers.catch(() => (this.#adminHandlers = undefined))
    return this.#adminHandlers
  }

  async #putTogether(): Promise<AdminHandlers> {
    const { administration } = await import('#app/administration.ts')
    return administration({
      parts: this.#parts,
      status: () =>
        statusOf({
          config: this.#config,
          parts: this.#parts,
          lan: this.#lan,
          check: this.#check,
          url: this.#url,
          startedAtMs: this.#startedAtMs,
        }),
      config: this.#config,
      ticketMade: () => this.#ticketMade(),
      lan: () => this.#lan.control(),
      door: await this.#openDoor(),
      reports: () => this.#reportThread(),
      receipts: () => this.#receiptThread(),
      side: this.#parts.side,
    })
  }

  /** The command line may have put the ticket into a page. */
  #ticketMade(): void {
    const remove = () => removeOpenPages(this.#config.dataDir, Date.now() - OPEN_PAGE_LIFE_MS)
    remove()
    clearTimeout(this.#openPageTimer)
    this.#openPageTimer = setTimeout(remove, OPEN_PAGE_LIFE_MS + LAST_BYTES_MS)
    this.#openPageTimer.unref()
  }

  #openDoor(): Promise<Door> {
    const { context, clock, log, writer } = this.#parts
    this.#door ??= import('#server/sign-in/door.ts').then(async ({ openDoor }) => {
      const door = await openDoor({
        ...context,
        ...clock,
        log,
        load: () => writer.call('loadVisits', undefined),
        write: (changes) => writer.call('changeVisits', changes),
        readAudit: (filter) => this.#reportThread().call('audit', filter),
      })
      this.#openedDoor = door
      return door
    })
    // Whoever comes next tries again.
    this.#door.catch(() => (this.#door = undefined))
    return this.#door
  }
}
