// What the tests of connections to providers share: a transport with names that resolve as a test says, and its answers.

import { Socket } from 'node:net'
import { vi } from 'vitest'
import type { Provider } from '#core/entities.ts'
import type { UpstreamFailure } from '#core/failure.ts'
import type { NewTokens } from '#provider/authentication.ts'
import { Connections, type ConnectionsOptions } from '#provider/connections.ts'
import type { Resolve } from '#provider/guarded-connector.ts'
import { HttpTransport } from '#provider/transport.ts'
import type { SecretKeeper, SecretStore } from '#secret/port.ts'
import { testProvider } from '../support/provider.ts'

export type Outcome = { readonly status: number; readonly text: string } | UpstreamFailure

export type Caller = {
  readonly connections: Connections
  /** Sends a request as the gateway does, and waits for its end. */
  readonly send: (provider: Partial<Provider>) => Promise<Outcome>
}

/** For providers whose secrets get no tokens. */
export const NO_TOKENS: NewTokens = () => Promise.reject(new Error('no secret of this test gets tokens'))

/** A store without any secret. */
export const SECRETS: SecretStore & Pick<SecretKeeper, 'known'> = {
  get: () => Promise.resolve(undefined),
  set: () => Promise.resolve(),
  delete: () => Promise.resolve(),
  list: () => Promise.resolve([]),
  known: () => [],
}

/** The mark of a gateway, always the same. */
export const HOPS = { newMark: () => 'farebox;id=mark' }

/** Names resolve as the system resolves them where `resolve` is given as undefined, and not at all where it is left out. */
export function caller(options: Partial<ConnectionsOptions> = {}): Caller {
  const connections = new Connections({
    timeLimits: { connectMs: 10_000, firstByteMs: 10_000, silenceMs: 10_000 },
    isOwn: () => false,
    hops: HOPS,
    resolve: names({}),
    ...options,
  })
  const transport = new HttpTransport({
    secrets: SECRETS,
    connections,
    newTokens: NO_TOKENS,
    clocks: { note: () => undefined },
    userAgent: 'test',
  })
  // To the transport a provider is one object for as long as nobody changes it.
  const whole = new WeakMap<Partial<Provider>, Provider>()
  return {
    connections,
    send(overrides) {
      const provider = whole.get(overrides) ?? testProvider(overrides)
      whole.set(overrides, provider)
      return send(transport, provider)
    },
  }
}

const opened: Connections[] = []

/** Connections as a gateway has them, which `closeConnections` ends. */
export function openConnections(options: Partial<ConnectionsOptions> = {}): Connections {
  const connections = new Connections({
    timeLimits: { connectMs: 10_000, firstByteMs: 10_000, silenceMs: 10_000 },
    isOwn: () => false,
    hops: HOPS,
    ...options,
  })
  opened.push(connections)
  return connections
}

export async function closeConnections(): Promise<void> {
  await Promise.all(opened.splice(0).map((connections) => connections.close()))
}

function send(transport: HttpTransport, provider: Provider): Promise<Outcome> {
  return new Promise((resolve) => {
    let status = 0
    let text = ''
    transport.send(
      { provider, path: '/chat/completions', body: '{}', headers: {} },
      {
        onHead: (head) => void (status = head),
        onData: (chunk) => void (text += chunk.toString()),
        onEnd: () => resolve({ status, text }),
        onFailure: resolve,
      },
    )
  })
}

/** A resolver that knows these names; a list of lists answers one after the other, the last one for ever. */
export function names(known: Readonly<Record<string, readonly (readonly string[])[]>>): Resolve & { asked: string[] } {
  const asked: string[] = []
  const resolve: Resolve = (hostname, _options, callback) => {
    const answers = known[hostname] ?? []
    const times = asked.filter((name) => name === hostname).length
    asked.push(hostname)
    const addresses = answers[Math.min(times, answers.length - 1)]
    if (addresses === undefined) callback(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), [])
    else
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
  }
  return Object.assign(resolve, { asked })
}

/** Where connections were attempted, of whatever kind, from now on. */
export function watchConnections(): { readonly attempts: () => number } {
  const connect = vi.spyOn(Socket.prototype, 'connect')
  return { attempts: () => connect.mock.calls.length }
}
