// The token of the session. It lives in sessionStorage, which only pages of exactly this address can read, and goes away with
// the tab; the cookie beside it is of no use without it.

const NAME = 'farebox-session'

export function sessionToken(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined
}

export function keepSessionToken(token: string): void {
  sessionStorage.setItem(NAME, token)
}

export function forgetSessionToken(): void {
  sessionStorage.removeItem(NAME)
}
