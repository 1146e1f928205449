// The token of the session. It lives in sessionStorage, which only pages of exactly this address can read, and goes away with
// the tab; the cookie beside it is of no use without it. Tabs that are open tell each other, so that one sign-in serves them all and
// nothing is written to disk.

const NAME = 'farebox-session'

/** A tab in the foreground answers within a few; longer would only be noticed by whoever is not signed in anywhere. */
const ANSWER_MS = 200

type TabMessage =
  | { readonly type: 'asked' }
  | { readonly type: 'told'; readonly token: string }
  | { readonly type: 'begun'; readonly token: string }
  | { readonly type: 'ended'; readonly token: string }

type Listeners = {
  /** Another tab has signed in, or has told us how; maybe as somebody else than this one did. */
  readonly onBegun: () => void
  /** Another tab has signed out of the session that this one has too. */
  readonly onEnded: () => void
}

let channel: InstanceType<typeof BroadcastChannel> | undefined

export function sessionToken(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined
}

export function keepSessionToken(token: string): void {
  sessionStorage.setItem(NAME, token)
  tell({ type: 'begun', token })
}

export function forgetSessionToken(): void {
  const token = sessionToken()
  sessionStorage.removeItem(NAME)
  if (token !== undefined) tell({ type: 'ended', token })
}

/** Shares the session with the other tabs of this address from now on. */
export function shareSession(listeners: Listeners): void {
  channel = new BroadcastChannel(NAME)
  channel.addEventListener('message', (event: object) => {
    if ('data' in event) receive(event.data as TabMessage, listeners)
  })
}

/** Asks the other tabs for their session where this one has none; comes back when one has answered, or none did in time. */
export async function askOtherTabs(): Promise<void> {
  const asked = channel
  if (asked === undefined || sessionToken() !== undefined) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const answered = () => {
    if (sessionToken() !== undefined) resolve()
  }
  asked.addEventListener('message', answered)
  tell({ type: 'asked' })
  const timer = setTimeout(resolve, ANSWER_MS)
  await promise
  clearTimeout(timer)
  asked.removeEventListener('message', answered)
}

function tell(message: TabMessage): void {
  channel?.postMessage(message)
}

function receive(message: TabMessage, { onBegun, onEnded }: Listeners): void {
  const own = sessionToken()
  if (message.type === 'asked') {
    if (own !== undefined) tell({ type: 'told', token: own })
    return
  }
  if (message.type === 'ended') {
    if (message.token !== own) return
    sessionStorage.removeItem(NAME)
    return onEnded()
  }
  // Signing in anywhere replaces the cookie of all tabs. An answer to somebody else's question replaces nothing.
  if (message.token === own || (message.type === 'told' && own !== undefined)) return
  sessionStorage.setItem(NAME, message.token)
  onBegun()
}
