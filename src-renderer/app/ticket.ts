// What links put behind the # of the address, where neither logs nor other sites see it: the one-time ticket of `farebox open` and the
// tray, and the code of an invite. And the page that somebody asked for who has to sign in first.

/** Pages for those who are not signed in: whoever is has nothing to do there. */
const FOR_STRANGERS = /^\/app\/(?:sign-in|invite)\b/i

const FIRST_PAGE = '/app/overview'

let ticket: string | undefined
let asked = FIRST_PAGE
let code: string | undefined

/** Takes both out of the address. To be called before anything else, so that nothing else ever sees them. */
export function takeSecretsFromAddress(): void {
  ticket = /^#ticket=([\w-]{1,100})$/.exec(location.hash)?.[1]
  const isInvite = location.hash.startsWith('#invite=')
  code = isInvite ? /^#invite=([\w-]{1,100})$/.exec(location.hash)?.[1] : undefined
  rememberPage()
  const entry = ticket !== undefined ? '/app/sign-in' : isInvite ? '/app/invite' : undefined
  if (entry !== undefined) return history.replaceState(null, '', entry)
  if (!location.pathname.startsWith('/app/')) history.replaceState(null, '', `/app/overview${location.search}`)
}

/** The ticket, once: it is good for one sign-in, whatever becomes of that. */
export function usedUpTicket(): string | undefined {
  const taken = ticket
  ticket = undefined
  return taken
}

/** The page that was asked for by somebody who was not signed in, to go on to when they are. */
export function askedPage(): string {
  return asked
}

/** To be called where the session ends by itself: whoever signs in again is to be where they were. */
export function rememberPage(): void {
  if (isPage()) asked = location.pathname + location.search
}

/** To be called once a page is shown: signing out leads nowhere near it again. */
export function forgetAskedPage(): void {
  asked = FIRST_PAGE
}

export function isSigningIn(): boolean {
  return /^\/app\/sign-in\b/i.test(location.pathname)
}

function isPage(): boolean {
  return location.pathname.startsWith('/app/') && !FOR_STRANGERS.test(location.pathname)
}

/** The code of the invite that the page was opened with, until it is accepted. A page that is loaded anew does not have it any more. */
export function inviteCode(): string | undefined {
  return code
}

export function forgetInviteCode(): void {
  code = undefined
}
