// Telling the network by mDNS that Farebox is there: only where somebody asked for it, only on the network it is served on, and never
// in the way of serving. What does it is loaded by then.

import { canonicalAddress } from '#core/lan.ts'
import type { Log } from '#core/log.ts'
import { linkOf } from '#lan/mdns-link.ts'
import type { Conflict, Service } from '#lan/mdns-records.ts'
import type { Interfaces } from '#lan/places.ts'

export type AnnouncementState = {
  readonly name: string
  readonly state: 'checking' | 'announced' | 'failed'
  /** Why nothing is announced. */
  readonly problem: string | undefined
}

export type AnnouncementDeps = {
  readonly log: Log
  readonly interfaces: () => Interfaces
  /** UDP; that of mDNS unless said otherwise. */
  readonly port?: number
}

/** What is announced now, and how it is ended. */
type Current = {
  readonly service: Service
  end: () => Promise<void>
  hasLeft: () => boolean
  state: AnnouncementState
  readonly isSettled: PromiseWithResolvers<void>
}

/** A free name is found in a second; one that several machines want at once takes longer, and nobody waits for that. */
const MOST_WAIT_MS = 2000

export class Announcement {
  readonly #deps: AnnouncementDeps
  #current: Current | undefined
  #lastProblem: string | undefined

  constructor(deps: AnnouncementDeps) {
    this.#deps = deps
  }

  /** undefined where nothing is to be announced. */
  get state(): AnnouncementState | undefined {
    return this.#current?.state
  }

  /** Announces a service in place of what was announced. What becomes of it is in the state. */
  start(service: Service): void {
    // Nobody has to wait for the last words of what was announced before.
    void this.stop()
    const current: Current = {
      service,
      end: async () => undefined,
      hasLeft: () => false,
      state: { name: service.host, state: 'checking', problem: undefined },
      isSettled: Promise.withResolvers(),
    }
    this.#current = current
    // Whatever goes wrong here is no reason to stop serving.
    this.#open(current).catch(() => this.#fail(current, 'It could not be announced, for no reason that is known.'))
  }

  /** Tries once more what failed, such as a name that was taken, and begins anew where the network went away and came back. */
  look(): void {
    const { state, service, hasLeft } = this.#current ?? {}
    if (service === undefined) return
    if (state?.state === 'failed' || (state?.state === 'announced' && hasLeft?.() === true)) this.start(service)
  }

  /** Resolves once it is known whether it is announced, or is not known soon. */
  async settled(): Promise<void> {
    const wait = Promise.withResolvers<void>()
    const timer = setTimeout(wait.resolve, MOST_WAIT_MS)
    await Promise.race([this.#current?.isSettled.promise, wait.promise])
    clearTimeout(timer)
  }

  /** Takes back what was announced. Resolves once that has been sent; never rejects. */
  async stop(): Promise<void> {
    const current = this.#current
    this.#current = undefined
    current?.isSettled.resolve()
    await current?.end()
  }

  async #open(current: Current): Promise<void> {
    const [{ MDNS_PORT, MdnsSocket }, { Responder }] = await Promise.all([
      import('#lan/mdns-socket.ts'),
      import('#lan/mdns-responder.ts'),
    ])
    if (this.#current !== current) return
    const { service } = current
    const interfaces = this.#deps.interfaces()
    const link = linkOf(service.address, interfaces, process.platform === 'win32')
    if (link === undefined) return this.#fail(current, `No network of this machine has the address ${service.address}.`)
    const port = this.#deps.port ?? MDNS_PORT
    const socket = new MdnsSocket({
      link,
      port,
      label: service.host.split('.')[0] ?? service.host,
      onPacket: (bytes, from) => responder.hear(bytes, from),
      onFailure: (code) => {
        responder.end()
        this.#fail(current, socketProblem(code, port))
      },
    })
    const own = ownAddresses(interfaces).add(service.address)
    const responder = new Responder({
      service,
      port,
      isOwn: (address) => own.has(address),
      send: (bytes, to) => socket.send(bytes, to),
      nowMs: () => performance.now(),
      onAnnounced: () => this.#succeed(current),
      onConflict: (conflict) => {
        void socket.close()
        this.#fail(current, conflictProblem(service.host, conflict))
      },
    })
    current.end = () => socket.close(responder.end())
    current.hasLeft = () => socket.hasLeft()
    if ((await socket.open()) && this.#current === current) responder.start()
  }

  #succeed(current: Current): void {
    const name = current.service.host
    current.state = { name, state: 'announced', problem: undefined }
    this.#lastProblem = undefined
    this.#deps.log(`The LAN is announced as ${name}`, { event: 'lan_announced', fields: { name } })
    current.isSettled.resolve()
  }

  /** Said once, however often it is tried. */
  #fail(current: Current, problem: string): void {
    current.state = { name: current.service.host, state: 'failed', problem }
    if (this.#current === current && problem !== this.#lastProblem) {
      this.#lastProblem = problem
      this.#deps.log(`The LAN is not announced: ${problem}`, { event: 'lan_problem', level: 'warning' })
    }
    current.isSettled.resolve()
  }
}

/** Those that other machines could mean; every machine has one for itself. */
function ownAddresses(interfaces: Interfaces): Set<string> {
  const all = Object.values(interfaces).flatMap((infos = []) => infos)
  return new Set(all.filter(({ internal }) => !internal).map(({ address }) => canonicalAddress(address)))
}

function conflictProblem(host: string, conflict: Conflict): string {
  const who =
    conflict.type === 'host' ? `The name ${host} belongs to ${conflict.address}` : `Another Farebox is ${host}`
  return `${who} on this network already. Announce another name, such as farebox lan on --announce NAME.local`
}

function socketProblem(code: string, port: number): string {
  if (code === 'EADDRINUSE') return `Another program keeps the port of mDNS (UDP ${port}) to itself.`
  if (code === 'EACCES' || code === 'EPERM') return `This machine lets Farebox send nothing to the network (${code}).`
  return `This network takes nothing that is sent to everybody (${code}).`
}
