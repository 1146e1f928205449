// The LAN as the running app has it: loaded when it is on at the start, or when somebody first asks for it.

import type { Parts } from '#app/parts.ts'
import type { LanStatus } from '#contract/lan.ts'
import type { Log } from '#core/log.ts'
import type { Lan, LanListener as Listener, HttpApp } from '#lan/lan.ts'
import type { LanControl } from '#server/admin/lan-handlers.ts'

export type LanListenerDeps = {
  readonly parts: Parts
  readonly dataDir: string
  readonly log: Log
  readonly graceMs: number
  readonly save: (settings: NonNullable<Parts['lanSettings']>) => Promise<void>
  readonly build: (listener: Listener) => HttpApp
}

const OFF: LanStatus = {
  state: 'off',
  urls: [],
  problem: null,
  certificate_expires_at: null,
}

type Loaded = { readonly lan: Lan; readonly control: LanControl; readonly status: () => LanStatus }

export class LanListener {
  readonly #deps: LanListenerDeps
  #loading: Promise<Loaded> | undefined
  #loaded: Loaded | undefined
  #isListening = false

  constructor(deps: LanListenerDeps) {
    this.#deps = deps
  }

  /** To be called once this machine is served. Never rejects for what is wrong with the LAN. */
  async open(): Promise<void> {
    this.#isListening = true
    if (this.#deps.parts.lanSettings?.isOn === true) await this.#load()
  }

  async control(): Promise<LanControl> {
    return (await this.#load()).control
  }

  async status(): Promise<LanStatus> {
    const isAsked = this.#deps.parts.lanSettings?.isOn === true || this.#loading !== undefined
    return isAsked ? (await this.#load()).status() : OFF
  }

  async close(): Promise<void> {
    await this.#loaded?.lan.close()
  }

  endConnections(): void {
    this.#loaded?.lan.endConnections()
  }

  cut(): void {
    this.#loaded?.lan.cut()
  }

  #load(): Promise<Loaded> {
    this.#loading ??= this.#make()
    // Whoever comes next tries again.
    this.#loading.catch(() => (this.#loading = undefined))
    return this.#loading
  }

  async #make(): Promise<Loaded> {
    const { parts, save, build, log, dataDir, graceMs } = this.#deps
    const [{ Lan }, { lanView, lanCertificate, lanStatus }] = await Promise.all([
      import('#lan/lan.ts'),
      import('#lan/view.ts'),
    ])
    const lan = new Lan({
      dataDir,
      log,
      save,
      build,
      graceMs,
      settings: parts.lanSettings,
      nowMs: parts.clock.nowMs,
      hasAdministrator: () => parts.catalog.members.some(isSigningAdministrator),
      listensOn: (port) => parts.ownListener.listensOn(port),
    })
    if (this.#isListening) await lan.open()
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
    this.#loaded = { lan, control, status: () => lanStatus(lan.state) }
    return this.#loaded
  }
}

/** Without one there would be nobody to hold responsible for what members do. */
function isSigningAdministrator({ role, status, passwordHash }: Parts['catalog']['members'][number]): boolean {
  return role === 'administrator' && status === 'active' && passwordHash !== undefined
}
