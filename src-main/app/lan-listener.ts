// The LAN as the running app has it: loaded when it is on at the start, or when somebody first asks for it.

import { Once } from '#app/once.ts'
import type { Parts } from '#app/parts.ts'
import type { Stores } from '#app/stores.ts'
import type { Config } from '#config/config.ts'
import type { LanStatus } from '#contract/lan.ts'
import type { Log } from '#core/log.ts'
import type { Lan, LanListener as Listener, HttpApp } from '#lan/lan.ts'
import type { LanControl } from '#server/admin/admin-deps.ts'

type Build = (listener: Listener) => HttpApp
export type LanListenerDeps = {
  readonly config: Pick<Config, 'dataDir' | 'shutdownGraceMs'>
  readonly parts: Pick<Parts, 'clock' | 'stores' | 'calling'>
  readonly log: Log
  readonly save: (settings: NonNullable<Stores['atStart']['lan']>) => Promise<void>
}

const OFF: LanStatus = {
  state: 'off',
  urls: [],
  problem: null,
  certificate_expires_at: null,
}

type LoadedLan = { readonly lan: Lan; readonly control: LanControl; readonly status: () => LanStatus }

export class LanListener {
  readonly #deps: LanListenerDeps
  readonly #loading = new Once(() => this.#load())
  /** What builds the server for the LAN; undefined as long as this machine is not served either. */
  #build: Build | undefined

  constructor(deps: LanListenerDeps) {
    this.#deps = deps
  }

  /** To be called once this machine is served. Never rejects for what is wrong with the LAN. */
  async open(build: Build): Promise<void> {
    this.#build = build
    if (this.#deps.parts.stores.atStart.lan?.isOn === true) await this.#loading.get()
  }

  async control(): Promise<LanControl> {
    return (await this.#loading.get()).control
  }

  async status(): Promise<LanStatus> {
    const isAsked = this.#deps.parts.stores.atStart.lan?.isOn === true || this.#loading.isAsked
    return isAsked ? (await this.#loading.get()).status() : OFF
  }

  async close(): Promise<void> {
    await this.#loading.made?.lan.close()
  }

  endConnections(): void {
    this.#loading.made?.lan.endConnections()
  }

  cut(): void {
    this.#loading.made?.lan.cut()
  }

  async #load(): Promise<LoadedLan> {
    const { parts, save, log, config } = this.#deps
    const { catalog, atStart } = parts.stores
    const [{ Lan }, { lanView, lanCertificate, lanStatus }] = await Promise.all([
      import('#lan/lan.ts'),
      import('#lan/view.ts'),
    ])
    const lan = new Lan({
      dataDir: config.dataDir,
      log,
      save,
      build: (listener) => this.#server(listener),
      graceMs: config.shutdownGraceMs,
      settings: atStart.lan,
      nowMs: parts.clock.nowMs,
      hasAdministrator: () => catalog.members.some(isSigningAdministrator),
      listensOn: (port) => parts.calling.ownListener.listensOn(port),
    })
    if (this.#build !== undefined) await lan.open()
    const view = () => lanView(lan.state)
    const control: LanControl = {
      view,
      certificate: () => lanCertificate(lan.state),
      change: async (input) => (await lan.change(input)) ?? view(),
      turnOff: async () => {
        await lan.turnOff()
        return view()
      },
    }
    return { lan, control, status: () => lanStatus(lan.state) }
  }

  #server(listener: Listener): HttpApp {
    if (this.#build === undefined) throw new Error('the LAN is served before this machine is')
    return this.#build(listener)
  }
}

/** Without one there would be nobody to hold responsible for what members do. */
function isSigningAdministrator({ role, status, passwordHash }: Stores['catalog']['members'][number]): boolean {
  return role === 'administrator' && status === 'active' && passwordHash !== undefined
}
