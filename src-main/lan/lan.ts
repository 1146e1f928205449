// The gateway for other machines: on or off while the gateway for this machine goes on. What is set is kept; whether it works is seen
// anew at each start, and from time to time, because addresses come and go and certificates end. It must never listen without TLS.

import { networkInterfaces } from 'node:os'
import type { RequestListener, Server } from 'node:http'
import type { LanChange } from '#contract/lan.ts'
import { hostOf, type LanSettings } from '#core/lan.ts'
import type { Log } from '#core/log.ts'
import { diskProblem } from '#core/disk-failure.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { mergeSettings } from '#lan/change.ts'
import { draftIdentity, readMadeIdentity, saveIdentity, type Identity } from '#lan/identity.ts'
import type { Interfaces } from '#lan/places.ts'
import { prepare, type Prepared, type PreparingDeps } from '#lan/prepare.ts'
import { TlsServer, type HttpLimits } from '#lan/tls-server.ts'

/** What serves the requests; made anew each time that the LAN is turned on. */
export type HttpApp = {
  listen(place: { readonly host: string; readonly port: number }): Promise<unknown>
  /** Takes nothing new; resolves when the last connection has ended. */
  close(): PromiseLike<unknown>
}

/** What the server in HTTP has to know about where it is reached. */
export type LanListener = {
  readonly hosts: Set<string>
  readonly isAdministered: boolean
  readonly makeServer: (handler: RequestListener, limits: HttpLimits) => Server
}

export type LanDeps = PreparingDeps & {
  readonly settings: LanSettings | undefined
  readonly log: Log
  readonly save: (settings: LanSettings) => Promise<void>
  readonly build: (listener: LanListener) => HttpApp
  /** Told of each port that is listened on. */
  readonly listensOn: (port: number) => void
  /** How long calls that run may take to end when the LAN is turned off. */
  readonly graceMs: number
}

type Running = {
  readonly app: HttpApp
  readonly server: TlsServer
  readonly address: string
  readonly port: number
  identity: Identity
}

export type LanState = {
  readonly settings: LanSettings | undefined
  /** undefined unless it is on. */
  readonly running: Pick<Running, 'address' | 'port' | 'identity'> | undefined
  readonly problem: string | undefined
  /** Whether a gateway runs in this process that could serve. */
  readonly isOpen: boolean
  readonly interfaces: Interfaces
}

const LOOK_MS = 30_000

export class Lan {
  readonly #deps: LanDeps
  #settings: LanSettings | undefined
  #running: Running | undefined
  /** Those that still have connections, the one that runs among them. */
  readonly #servers = new Set<TlsServer>()
  #problem: string | undefined
  /** Whether what is set holds in memory alone. */
  #isOverdue = false
  #isOpen = false
  #timer: NodeJS.Timeout | undefined
  /** One change after the other. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(deps: LanDeps) {
    this.#deps = deps
    this.#settings = deps.settings
  }

  get state(): LanState {
    const interfaces = (this.#deps.interfaces ?? networkInterfaces)()
    return {
      settings: this.#settings,
      running: this.#running,
      problem: this.#problem,
      isOpen: this.#isOpen,
      interfaces,
    }
  }

  /** Listens if it is set so. Never rejects: what went wrong is in the state, and it is tried again. */
  open(): Promise<void> {
    return this.#inTurn(async () => {
      this.#isOpen = true
      this.#timer = setInterval(() => void this.look(), LOOK_MS)
      this.#timer.unref()
      await this.#noting(() => this.#tryAgain())
    })
  }

  /** Turns the LAN on, or changes how it is. Where that fails everything is as it was before. */
  change(input: LanChange): Promise<Refusal | undefined> {
    return this.#inTurn(async () => {
      const settings = mergeSettings(this.#settings, input)
      if (isRefusal(settings)) return settings
      const prepared = prepare(this.#deps, settings, { isNew: input.new_certificate === true, isDeliberate: true })
      if (isRefusal(prepared)) return prepared
      if (!this.#isOpen) {
        await this.#keepWith(settings, prepared)
        return undefined
      }
      return this.#replace(settings, prepared)
    })
  }

  /**
   * Closes the LAN. Calls over it may end by themselves within the grace time; event streams end at once. Where the disk takes
   * no change it is off in memory, and that is written as soon as there is room.
   */
  turnOff(): Promise<void> {
    return this.#inTurn(async () => {
      // First of all it is off, whatever becomes of writing it down.
      this.#stop(this.#deps.graceMs)
      this.#problem = undefined
      if (this.#settings !== undefined) await this.#keepOff({ ...this.#settings, isOn: false })
    })
  }

  /** Listens where it could not before, follows an interface to its new address, and renews certificates. Never rejects. */
  look(): Promise<void> {
    return this.#inTurn(() => this.#noting(() => this.#lookNow()))
  }

  async #keepOff(settings: LanSettings): Promise<void> {
    try {
      await this.#keep(settings)
    } catch (error) {
      const why = diskProblem(error)
      if (why === undefined || !this.#isOpen) throw error
      this.#settings = settings
      this.#isOverdue = true
      this.#note(`It is off. ${why}, so that this is written down as soon as there is room.`)
    }
  }

  async #lookNow(): Promise<void> {
    if (this.#isOverdue && this.#settings !== undefined) {
      await this.#keep(this.#settings)
      this.#problem = undefined
    }
    if (!this.#isOpen || this.#settings?.isOn !== true) return
    if (this.#running === undefined) return this.#tryAgain()
    const prepared = prepare(this.#deps, this.#settings, { isNew: false, isDeliberate: false })
    // Whatever goes on with what it has is better than nothing, until that has ended too.
    if (isRefusal(prepared)) return this.#note(prepared.message)
    this.#problem = undefined
    if (prepared.address !== this.#running.address) {
      this.#stop(this.#deps.graceMs)
      return this.#tryAgain()
    }
    this.#takeIdentity(this.#running, prepared.identity)
  }

  /** Nothing that goes wrong here may end the gateway of this machine: a full disk, a folder that cannot be written. */
  async #noting(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#note(`It cannot be opened now (${codeOf(error) ?? 'for no reason that is known'}).`)
    }
  }

  /** Takes nothing new. Resolves when every connection has ended, see `endConnections` and `cut`. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#isOpen = false
    await this.#inTurn(async () => this.#stop(undefined))
    await Promise.all(Array.from(this.#servers, (server) => server.stop()))
  }

  /** Ends each connection once what was written to it has left. */
  endConnections(): void {
    for (const server of this.#servers) server.endConnections()
  }

  cut(): void {
    for (const server of this.#servers) server.cut()
  }

  async #tryAgain(): Promise<void> {
    const settings = this.#settings
    if (settings?.isOn !== true) return
    const prepared = prepare(this.#deps, settings, { isNew: false, isDeliberate: false })
    if (isRefusal(prepared)) return this.#note(prepared.message)
    const refusal = await this.#start(settings, prepared)
    if (refusal !== undefined) return this.#note(refusal.message)
    if (settings.files === undefined) this.#saveRenewed(prepared.identity)
    this.#problem = undefined
    const { address, port } = prepared
    const url = `https://${hostOf(address, port)}`
    this.#deps.log(`Farebox serves the LAN at ${url}`, { event: 'lan_listening', fields: { url } })
  }

  /** What is there already is not written again: the disk may have no room for it. */
  #saveRenewed(identity: Identity): void {
    const { dataDir } = this.#deps
    const present = readMadeIdentity(dataDir)
    if (isRefusal(present) || present?.fingerprint !== identity.fingerprint) saveIdentity(dataDir, identity)
  }

  /** Said once, however often it is tried. */
  #note(problem: string): void {
    if (problem !== this.#problem) this.#deps.log(`The LAN: ${problem}`, { event: 'lan_problem', level: 'warning' })
    this.#problem = problem
  }

  /** Stops what runs, starts what is wanted, and goes back where that cannot be. */
  async #replace(settings: LanSettings, prepared: Prepared): Promise<Refusal | undefined> {
    this.#stop(this.#deps.graceMs)
    const refusal = await this.#start(settings, prepared)
    if (refusal !== undefined) {
      await this.#tryAgain()
      return refusal
    }
    try {
      await this.#keepWith({ ...settings, port: this.#running?.port ?? settings.port }, prepared)
    } catch (error) {
      this.#stop(this.#deps.graceMs)
      await this.#noting(() => this.#tryAgain())
      throw error
    }
    this.#problem = undefined
    return undefined
  }

  async #start(settings: LanSettings, prepared: Prepared): Promise<Refusal | undefined> {
    const { address, identity } = prepared
    const server = new TlsServer(identity)
    let http: Server | undefined
    const hosts = new Set<string>()
    const app = this.#deps.build({
      hosts,
      isAdministered: settings.isAdministered,
      makeServer: (handler, limits) => (http = server.make(handler, limits)),
    })
    try {
      await app.listen({ host: address, port: settings.port })
    } catch (error) {
      server.cut()
      await Promise.all([server.stop(), app.close()])
      return listenRefusal(error, { address, port: settings.port })
    }
    const port = portOf(http) ?? settings.port
    for (const name of [address, ...settings.names]) hosts.add(hostOf(name, port))
    this.#deps.listensOn(port)
    this.#servers.add(server)
    this.#running = { app, server, address, port, identity }
    return undefined
  }

  /** The port is free at once; what still runs has `graceMs`, or as long as it takes, and nobody waits for it here. */
  #stop(graceMs: number | undefined): void {
    const running = this.#running
    if (running === undefined) return
    this.#running = undefined
    const { app, server } = running
    const cut = graceMs === undefined ? undefined : setTimeout(() => server.cut(), graceMs)
    const ended = Promise.all([server.stop(), app.close()]).finally(() => {
      clearTimeout(cut)
      this.#servers.delete(server)
    })
    ended.catch(() =>
      this.#deps.log('The listener for the LAN did not end as it should.', { event: 'lan_problem', level: 'warning' }),
    )
  }

  #takeIdentity(running: Running, identity: Identity): void {
    if (identity.fingerprint === running.identity.fingerprint && identity.key === running.identity.key) return
    if (identity.source === 'farebox') saveIdentity(this.#deps.dataDir, identity)
    running.server.useIdentity(identity)
    running.identity = identity
    const { fingerprint } = identity
    const note = { event: 'lan_certificate', fields: { fingerprint } }
    this.#deps.log(`The LAN has a new certificate: SHA-256 ${fingerprint}`, note)
  }

  async #keep(settings: LanSettings): Promise<void> {
    await this.#deps.save(settings)
    this.#settings = settings
    this.#isOverdue = false
  }

  /** Keeps settings and the certificate that belongs to them, or neither. */
  async #keepWith(settings: LanSettings, { identity }: Prepared): Promise<void> {
    const draft = settings.files === undefined ? draftIdentity(this.#deps.dataDir, identity) : undefined
    try {
      await this.#keep(settings)
    } catch (error) {
      draft?.discard()
      throw error
    }
    draft?.publish()
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => undefined)
    return turn
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

function portOf(server: Server | undefined): number | undefined {
  const address = server?.address()
  return typeof address === 'object' && address !== null ? address.port : undefined
}

function listenRefusal(error: unknown, { address, port }: { address: string; port: number }): Refusal {
  const code = codeOf(error)
  const place = hostOf(address, port)
  if (code === 'EADDRINUSE') return refuse('conflict', `${place} is taken by another program.`, { param: 'port' })
  if (code === 'EACCES') return refuse('conflict', `Farebox may not listen on ${place}.`, { param: 'port' })
  if (code === 'EADDRNOTAVAIL' || code === 'EINVAL') {
    return refuse('conflict', `This machine does not have the address ${address} now.`, { param: 'address' })
  }
  throw error
}
