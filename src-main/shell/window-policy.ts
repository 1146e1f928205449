// What the window may do. It shows the dashboard as a browser would, from the gateway's own origin, and is trusted no more than
// one: no Node, no preload script and so no messages to this process, no permissions, no way off the origin.

import type { WebPreferences } from 'electron'

/** Its cookies and storage are kept in memory and end with the process: nothing of the dashboard is written to disk. */
export const PARTITION = 'dashboard'

/** The only web preferences there are. Most are Electron's defaults; they are here so that a changed default changes nothing. */
export const WEB_PREFERENCES = {
  partition: PARTITION,
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInSubFrames: false,
  nodeIntegrationInWorker: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  webviewTag: false,
  experimentalFeatures: false,
  navigateOnDragDrop: false,
  safeDialogs: true,
  spellcheck: false,
  enableWebSQL: false,
  autoplayPolicy: 'document-user-activation-required',
} as const satisfies WebPreferences

/** Whether the window may go to an address by itself: only within the origin of the gateway. */
export function mayNavigate(url: string, origin: string | undefined): boolean {
  return origin !== undefined && originOf(url) === origin
}

/**
 * The address to open in the browser for a link that leads elsewhere; undefined for one that is not opened at all. `places` are
 * addresses below which everything may be opened, such as that of the repository.
 */
export function externalAddress(url: string, places: readonly string[]): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, host, pathname, username, password, href } = new URL(url)
  if (protocol !== 'https:' || username !== '' || password !== '') return undefined
  const isBelow = places.some((place) => {
    const allowed = new URL(place)
    const folder = allowed.pathname.replace(/\/$/, '')
    return allowed.host === host && (pathname === folder || pathname.startsWith(`${folder}/`))
  })
  return isBelow ? href : undefined
}

/** Everything is refused but writing text to the clipboard, which is how a new key leaves the page it is shown on once. */
export function mayUse(
  permission: string,
  { origin, gateway }: { origin: string; gateway: string | undefined },
): boolean {
  return permission === 'clipboard-sanitized-write' && gateway !== undefined && originOf(origin) === gateway
}

/** Only what the dashboard makes itself, such as a CSV, or serves from its origin. */
export function mayDownload(url: string, origin: string | undefined): boolean {
  if (origin === undefined) return false
  return url.startsWith('blob:') ? originOf(url.slice('blob:'.length)) === origin : originOf(url) === origin
}

/** Whether a page that is shown has lost its session, so that opening the window again takes a new ticket. */
export function isSignedOut(url: string): boolean {
  return !URL.canParse(url) || /^\/app\/sign-in\b/.test(new URL(url).pathname)
}

/** The ticket stands behind the # of the address, which is sent to nobody. */
export function dashboardAddress(origin: string, page: string, ticket: string | undefined): string {
  const { href } = new URL(`/app/${page}`, origin)
  return ticket === undefined ? href : `${href}#ticket=${encodeURIComponent(ticket)}`
}

/** `null`, the origin of what has none, equals no gateway's. */
function originOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, origin } = new URL(url)
  // A blob's own origin would be taken for that of a page.
  return protocol === 'http:' || protocol === 'https:' ? origin : undefined
}
