// Starts, stops and watches the gateway, and knows what is to be shown. What is shown comes from asking the gateway, never from what
// somebody wished for: a gateway that does not answer does not run.

import type { Gateway, GatewayHost, Reading, Started } from '#shell/gateway-port.ts'
import { NO_SUMMARY, summarise, type GatewayState, type Summary } from '#shell/state.ts'

export type GatewayView = { readonly gateway: GatewayState; readonly summary: Summary }

export type GatewayControlOptions = {
  readonly host: GatewayHost
  /** UTC milliseconds. */
  readonly nowMs: () => number
  /** Called after every change of what is to be shown. */
  readonly onChange: (view: GatewayView) => void
  /** Called with everything that was read. */
  readonly onReading: (reading: Reading) => void
  /** How often to look when nothing happens, and how soon after something did; shorter in tests. */
  readonly intervalsMs?: { readonly idle: number; readonly busy: number }
}

const INTERVALS_MS = { idle: 15_000, busy: 1_000 }
/** Looking may take this share of the time, however many keys there are. */
const MAX_LOOKING = 1 / 20

export class GatewayControl {
  readonly #options: GatewayControlOptions
  readonly #intervalsMs: { readonly idle: number; readonly busy: number }
  #view: GatewayView = { gateway: { type: 'stopped' }, summary: NO_SUMMARY }
  #gateway: Gateway | undefined
  #forget: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #dueAtMs = Infinity
  #tookMs = 0
  #looking: Promise<void> | undefined
  /** Starts and stops one after the other, however fast somebody clicks. */
  #turn: Promise<void> = Promise.resolve()

  constructor(options: GatewayControlOptions) {
    this.#options = options
    this.#intervalsMs = options.intervalsMs ?? INTERVALS_MS
  }

  get view(): GatewayView {
    return this.#view
  }

  /** The gateway that runs; undefined while none does. */
  get gateway(): Gateway | undefined {
    return this.#gateway
  }

  /** Never rejects: what went wrong is in the state. */
  start(): Promise<void> {
    return this.#inTurn(async () => {
      // One that did not answer may do so again; it is there all the same.
      if (this.#gateway !== undefined) return this.look()
      this.#show({ type: 'starting' })
      const started = await this.#startHost()
      if (started.type !== 'running') return this.#show({ type: 'failed', message: messageOf(started) })
      this.#gateway = started.gateway
      this.#forget = started.gateway.onExchangeEnd(() => this.#lookWithin(this.#intervalsMs.busy))
      await this.look()
    })
  }

  /** A host that rejects all the same must not take the shell with it, and its words may quote content. */
  async #startHost(): Promise<Started> {
    try {
      return await this.#options.host.start()
    } catch {
      return { type: 'failed', message: 'The gateway could not be started.' }
    }
  }

  /** Ends the gateway and waits until everything is written. Rejects when that fails. */
  stop(): Promise<void> {
    return this.#inTurn(async () => {
      const gateway = this.#gateway
      if (gateway === undefined) return
      this.#show({ type: 'stopping' })
      this.#letGo()
      try {
        await gateway.close()
      } finally {
        this.#show({ type: 'stopped' })
      }
    })
  }

  async pause(minutes: number): Promise<void> {
    await this.#gateway?.pause(minutes)
    await this.look()
  }

  async resume(): Promise<void> {
    await this.#gateway?.resume()
    await this.look()
  }

  /** The machine woke up: old connections lead nowhere, and what is shown may be hours old. */
  async afterSleep(): Promise<void> {
    this.#gateway?.afterSleep()
    await this.look()
  }

  /** Asks the gateway how it is. Never rejects. */
  async look(): Promise<void> {
    this.#looking ??= this.#ask().finally(() => (this.#looking = undefined))
    await this.#looking
  }

  async #ask(): Promise<void> {
    const gateway = this.#gateway
    if (gateway === undefined) return
    clearTimeout(this.#timer)
    this.#dueAtMs = Infinity
    const startedMs = performance.now()
    try {
      const reading = await gateway.read()
      // It may have been stopped meanwhile.
      if (gateway !== this.#gateway) return
      this.#tookMs = performance.now() - startedMs
      this.#options.onReading(reading)
      this.#show(stateOf(gateway, reading), summarise(reading, this.#options.nowMs()))
    } catch {
      if (gateway !== this.#gateway) return
      if (gateway.otherPid !== undefined) return this.#lose()
      this.#show({ type: 'failed', message: 'The gateway does not answer. Quit Farebox and start it again.' })
    }
    this.#lookWithin(this.#untilNextMs())
  }

  /** A pause that ends is seen when it ends. */
  #untilNextMs(): number {
    const { gateway } = this.#view
    const pausedUntilMs = gateway.type === 'running' ? gateway.pausedUntilMs : undefined
    if (pausedUntilMs === undefined) return this.#intervalsMs.idle
    return Math.min(this.#intervalsMs.idle, Math.max(this.#intervalsMs.busy, pausedUntilMs - this.#options.nowMs()))
  }

  #lookWithin(ms: number): void {
    const waitMs = Math.max(ms, this.#tookMs / MAX_LOOKING)
    const dueAtMs = performance.now() + waitMs
    // What is due sooner is not put off: a busy gateway would never be looked at.
    if (dueAtMs >= this.#dueAtMs) return
    clearTimeout(this.#timer)
    this.#dueAtMs = dueAtMs
    this.#timer = setTimeout(() => void this.look(), waitMs)
  }

  /** A gateway of another process has ended; nobody here may decide that it starts again. */
  #lose(): void {
    this.#letGo()
    this.#show({ type: 'stopped' })
  }

  #letGo(): void {
    clearTimeout(this.#timer)
    this.#dueAtMs = Infinity
    this.#forget?.()
    this.#forget = undefined
    this.#gateway = undefined
  }

  #show(gateway: GatewayState, summary: Summary = NO_SUMMARY): void {
    this.#view = { gateway, summary }
    this.#options.onChange(this.#view)
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work)
    // One that failed has told its caller; the next one has its own turn.
    this.#turn = done.catch(() => undefined)
    return done
  }
}

function stateOf({ url, otherPid }: Gateway, { status }: Reading): GatewayState {
  const pausedUntilMs = status.paused_until === undefined ? undefined : Date.parse(status.paused_until)
  return { type: 'running', url, otherPid, pausedUntilMs, ledger: status.ledger }
}

function messageOf(started: Exclude<Started, { type: 'running' }>): string {
  if (started.type === 'failed') return started.message
  return `Port ${started.port} is taken by ${started.owner}. Stop it and try again.`
}
