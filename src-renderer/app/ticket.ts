// The one-time ticket that `farebox open` and the tray put behind the # of the address, where neither logs nor other sites see it.

let ticket: string | undefined

/** Takes the ticket out of the address. To be called before anything else, so that nothing else ever sees it. */
export function takeTicketFromAddress(): void {
  const found = /^#ticket=([\w-]{1,100})$/.exec(location.hash)?.[1]
  const isOurs = location.pathname.startsWith('/app/')
  const path = found !== undefined ? '/app/sign-in' : isOurs ? location.pathname : '/app/overview'
  if (found !== undefined || !isOurs)
    history.replaceState(null, '', `${path}${found === undefined ? location.search : ''}`)
  ticket = found
}

/** The ticket, once: it is good for one sign-in, whatever becomes of that. */
export function usedUpTicket(): string | undefined {
  const taken = ticket
  ticket = undefined
  return taken
}
