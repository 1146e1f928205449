// What a provider sealed: a signature or an encrypted text that only its own kind can read, and that it wants back unchanged
// in the next request. To carry it through a client of another format it is wrapped into that format's opaque member with
// the dialect it came from, so that no provider is ever given another one's.

/** Dialects that seal something. */
export type SealOrigin = 'messages' | 'messages-redacted' | 'responses' | 'gemini' | 'chat-completions'

export type Sealed = { readonly origin: SealOrigin; readonly value: string }

const ORIGINS: readonly SealOrigin[] = ['messages', 'messages-redacted', 'responses', 'gemini', 'chat-completions']
const PREFIX = 'farebox1.'

/**
 * The text that a client of format `native` keeps for us: its own kind unchanged, others wrapped. What another Farebox
 * wrapped behind us is wrapped once more, or it would be taken for ours when it comes back.
 */
export function wrapSeal(sealed: Sealed, native: SealOrigin): string {
  const isPlain = sealed.origin === native && !isWrappedSeal(sealed.value)
  return isPlain ? sealed.value : wrapped(sealed)
}

/** Any seal in our wrapping. */
export function wrapped({ origin, value }: Sealed): string {
  return `${PREFIX}${origin}.${value}`
}

/** What a client of format `native` sent back; undefined for an empty text and for one of ours that was damaged. */
export function unwrapSeal(text: string, native: SealOrigin): Sealed | undefined {
  if (text === '') return undefined
  if (!text.startsWith(PREFIX)) return { origin: native, value: text }
  const end = text.indexOf('.', PREFIX.length)
  const origin = ORIGINS.find((known) => known === text.slice(PREFIX.length, end))
  const value = text.slice(end + 1)
  return end === -1 || origin === undefined || value === '' ? undefined : { origin, value }
}

/** A cheap sign that a JSON text may hold a seal in our wrapping. */
export function holdsWrappedSeal(json: string): boolean {
  return json.includes(`"${PREFIX}`)
}

/** Whether the text is a seal in our wrapping, which no provider can read. */
export function isWrappedSeal(text: string): boolean {
  return text.startsWith(PREFIX)
}
