// The providers of the long run: one scripted upstream that speaks every dialect and does, by chance, what providers do on bad days.
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

export const DIALECTS = ['chat-completions', 'messages', 'responses', 'gemini'] as const
export const EMBEDDING_MODEL = 'embedding'
export const PLENTY = 'soak-plenty'
export const LITTLE = 'soak-little'

const PRICE = { input: 2, output: 10, cache_read: 0.5, cache_write: 2 }
const SENTENCE = 'The fare is counted once, when the ride is over. '

/** How often each happens, in a thousand requests; what is left are ordinary answers. */
const FAULTS: readonly (readonly [perMille: number, behaviour: () => Behaviour])[] = [
  [10, () => ({ type: 'status', status: 500 })],
  [10, () => ({ type: 'status', status: 429, retryAfter: 1 })],
  [10, () => ({ type: 'html', status: 502 })],
  [10, () => ({ type: 'answer', cut: { at: 'before-headers', how: 'reset' } })],
  [10, () => ({ type: 'answer', pieces: pieces(), cut: { at: { byte: among(600) }, how: 'reset' } })],
  [10, () => ({ type: 'answer', pieces: pieces(), cut: { at: { byte: among(600) }, how: 'close' } })],
  [10, () => ({ type: 'error-in-stream', afterEvents: among(6) })],
  [10, () => ({ type: 'broken-stream', atEvent: among(6), how: 'not-json' })],
  [10, () => ({ type: 'answer', usage: null, pieces: pieces() })],
  [5, () => ({ type: 'oversized', bytes: 2_000_000 })],
  [5, () => ({ type: 'answer', headersAfterMs: 3000 })],
  [20, () => ({ type: 'answer', pieces: pieces(), stall: { at: { byte: among(600) }, ms: among(2000) } })],
]

export async function startSoakProvider(): Promise<Upstream> {
  const upstream = await startUpstream()
  upstream.script(behaviour)
  return upstream
}

/** The recordings of an hour would fill the memory of the load; nobody reads them. */
export function forgetRequests(upstream: Upstream): void {
  upstream.forget()
  upstream.script(behaviour)
}

/** Everything the run needs, as a document for `farebox apply`. One of the providers is read to the end of answers nobody waits for. */
export function soakDocument(upstreamUrl: string): object {
  const origin = upstreamUrl.replace(/\/v1$/, '')
  const size = { display_name: 'Soak', context_window: 128_000, price: PRICE }
  return {
    providers: DIALECTS.map((dialect) => ({
      name: `soak-${dialect}`,
      dialect,
      base_url: dialect === 'gemini' ? `${origin}/v1beta` : upstreamUrl,
      secret: { env: 'SOAK_SECRET' },
      ...(dialect === 'responses' ? { on_disconnect: 'drain' } : {}),
    })),
    models: [
      ...DIALECTS.map((dialect) => ({
        ...size,
        id: dialect,
        kind: 'chat',
        max_output_tokens: 16_000,
        targets: [{ provider: `soak-${dialect}`, model: 'gpt-4.1' }],
      })),
      {
        ...size,
        id: EMBEDDING_MODEL,
        kind: 'embedding',
        targets: [{ provider: 'soak-chat-completions', model: 'text-embedding-3-small' }],
      },
    ],
    packages: [
      { name: PLENTY, type: 'topup', credits: 1_000_000, models: 'all' },
      { name: LITTLE, type: 'daily', credits: 0.001, models: 'all' },
    ],
  }
}

function behaviour(): Behaviour {
  let left = among(1000)
  for (const [perMille, fault] of FAULTS) {
    if (left < perMille) return fault()
    left -= perMille
  }
  return { type: 'answer', pieces: pieces(), delayMs: among(5), headersAfterMs: among(20) }
}

/** Up to about 20 KB of text. */
function pieces(): string[] {
  return Array.from({ length: 1 + among(40) }, () => SENTENCE.repeat(1 + among(10)))
}

/** A whole number from 0 to below the bound. */
export function among(bound: number): number {
  return Math.floor(Math.random() * bound)
}
