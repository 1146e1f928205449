// Both sides of one exchange as a test moves them by hand: a provider that answers when it is told to, and a client that reads
// when it is told to. Nothing here waits for anything.

import { after } from '#app/after.ts'
import type { Key, Model, Package, Provider } from '#core/entities.ts'
import type { UpstreamFailure } from '#core/failure.ts'
import { ZERO, type MicroCredits } from '#core/money.ts'
import type { ProviderDialect } from '#core/provider-dialect.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import type { WireBytes } from '#dialect/answer.ts'
import { Health } from '#pipeline/health.ts'
import type {
  Client,
  Headers,
  Transport,
  UpstreamCall,
  UpstreamHeaders,
  UpstreamListener,
  UpstreamRequest,
} from '#pipeline/ports.ts'
import { ProviderGate } from '#pipeline/provider-gate.ts'
import { SecretHealth } from '#pipeline/secret-health.ts'
import type { RoutingDeps } from '#pipeline/routing.ts'
import type { Settlement } from '#ledger/settlement.ts'
import { testProvider } from '../support/provider.ts'

export function providerOf(dialect: ProviderDialect): Provider {
  return testProvider({ id: dialect, name: dialect, dialect })
}

/** A model of the dialect's name at the dialect's provider. */
export function modelOf(dialect: ProviderDialect, targets?: Model['targets']): Model {
  return {
    id: dialect,
    displayName: dialect,
    kind: 'chat',
    contextWindow: 100_000,
    maxOutputTokens: 1000,
    isEnabled: true,
    price: { version: 1, inputMicro: ZERO, outputMicro: ZERO, cacheReadMicro: ZERO, cacheWriteMicro: ZERO },
    targets: targets ?? [{ providerId: dialect, upstreamModel: `real-${dialect}`, priority: 0, weight: 1 }],
    createdAtMs: 0,
  }
}

export const PACKAGE: Package = {
  id: 'package',
  name: 'package',
  type: 'unlimited',
  creditsMicro: ZERO,
  timeZone: 'UTC',
  limits: { requestsPerMinute: undefined, tokensPerMinute: undefined, concurrentRequests: undefined },
  models: 'all',
  validUntilMs: undefined,
  createdAtMs: 0,
}

export const KEY: Key = {
  id: 'key',
  name: 'key',
  owner: undefined,
  memberId: undefined,
  hash: 'hash',
  hint: 'hint',
  packageId: 'package',
  storedStatus: 'active',
  suspendedBy: undefined,
  expiresAtMs: undefined,
  createdAtMs: 0,
  valueSinceMs: 0,
  previous: undefined,
}

/** One request that reached the provider, and what the provider can do about it. */
export class FakeCall implements UpstreamCall {
  readonly request: UpstreamRequest
  readonly #listener: UpstreamListener
  isPaused = false
  isAborted = false

  constructor(request: UpstreamRequest, listener: UpstreamListener) {
    this.request = request
    this.#listener = listener
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }

  abort(): void {
    this.isAborted = true
  }

  head(status: number, headers: UpstreamHeaders): void {
    if (!this.isAborted) this.#listener.onHead(status, headers)
  }

  data(text: string): void {
    if (!this.isAborted) this.#listener.onData(Buffer.from(text))
  }

  end(): void {
    if (!this.isAborted) this.#listener.onEnd()
  }

  fail(failure: UpstreamFailure): void {
    if (!this.isAborted) this.#listener.onFailure(failure)
  }

  /** A whole JSON answer. */
  answer(status: number, body: object | string): void {
    this.head(status, { 'content-type': 'application/json' })
    this.data(typeof body === 'string' ? body : JSON.stringify(body))
    this.end()
  }
}

export class FakeTransport implements Transport {
  readonly calls: FakeCall[] = []

  get last(): FakeCall {
    const call = this.calls.at(-1)
    if (call === undefined) throw new Error('nobody was asked')
    return call
  }

  send(request: UpstreamRequest, listener: UpstreamListener): FakeCall {
    const call = new FakeCall(request, listener)
    this.calls.push(call)
    return call
  }
}

export class FakeClient implements Client {
  /** The call that it makes, for lists of those that wait. */
  readonly call = { exchangeId: 'call', keyId: 'key', modelId: 'model' }
  isCancelled = false
  #whenCancelled: (() => void)[] = []
  #whenDrained: (() => void) | undefined
  /** False makes every write say that the client reads no more. */
  reads = true
  status: number | undefined
  headers: Headers = {}
  isCut = false
  hasEnded = false
  readonly writes: string[] = []

  get hasBegun(): boolean {
    return this.writes.length > 0
  }

  get text(): string {
    return this.writes.join('')
  }

  onCancel(callback: () => void): void {
    if (this.isCancelled) return callback()
    this.#whenCancelled.push(callback)
  }

  leave(): void {
    this.isCancelled = true
    for (const callback of this.#whenCancelled) callback()
  }

  begin(status: number, headers: Headers): void {
    this.status = status
    this.headers = headers
  }

  write(bytes: WireBytes): boolean {
    this.writes.push(textOf(bytes))
    return this.reads
  }

  onDrain(callback: () => void): void {
    this.#whenDrained = callback
  }

  drain(): void {
    this.reads = true
    const callback = this.#whenDrained
    this.#whenDrained = undefined
    callback?.()
  }

  end(bytes: WireBytes = ''): void {
    this.writes.push(textOf(bytes))
    this.hasEnded = true
  }

  cut(): void {
    this.isCut = true
  }
}

/** Strings are latin1: each of their characters is one byte. */
function textOf(bytes: WireBytes): string {
  return (typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes).toString('utf8')
}

/** Routing as a gateway has it that has just started; without randomness the places of a model are tried as listed. */
export function routingDeps(overrides: Partial<RoutingDeps> = {}): RoutingDeps {
  return {
    health: new Health(),
    secrets: new SecretHealth(),
    gate: new ProviderGate({ nowMs: () => 0, after, timeZone: 'UTC', maxWaitMs: 1000 }),
    monotonicMs: () => 0,
    random: () => 0,
    retryDelayMs: 1,
    ...overrides,
  }
}

/** Of a whole answer. */
export function settlementAt(chargeMicro: MicroCredits): Settlement {
  return {
    packageId: 'package',
    endpoint: 'chat',
    providerId: 'p',
    upstreamModel: 'm',
    isStream: false,
    outcome: 'answered',
    status: 200,
    ...UNKNOWN_USAGE,
    usageSource: 'reported',
    chargeMicro,
    createdAtMs: 0,
    firstByteMs: undefined,
    durationMs: 0,
  }
}
