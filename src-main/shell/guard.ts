// Holds every page that this process shows to the policy of window-policy.ts, whoever made it.

import { app, session, shell, type Session, type WebContents } from 'electron'
import { externalAddress, mayDownload, mayNavigate, mayUse, PARTITION } from '#shell/window-policy.ts'

export type GuardOptions = {
  /** The origin of the gateway; undefined while none runs. */
  readonly origin: () => string | undefined
  /** Addresses below which links are handed to the browser. */
  readonly externalPlaces: readonly string[]
}

/** To be called once, before any window is made. Nothing of the dashboard is cached on disk. */
export function guardPages(options: GuardOptions): void {
  app.on('web-contents-created', (_event, contents) => guardContents(contents, options))
  guardSession(session.fromPartition(PARTITION, { cache: false }), options)
}

function guardContents(contents: WebContents, { origin, externalPlaces }: GuardOptions): void {
  const keepInside = (details: { readonly url: string; preventDefault(): void }) => {
    if (mayNavigate(details.url, origin())) return
    details.preventDefault()
    openOutside(details.url, externalPlaces)
  }
  contents.on('will-navigate', keepInside)
  contents.on('will-frame-navigate', (details) => {
    // The main frame has an event of its own, and two would open a link twice.
    if (!details.isMainFrame && !mayNavigate(details.url, origin())) details.preventDefault()
  })
  contents.on('will-redirect', (details) => {
    if (!mayNavigate(details.url, origin())) details.preventDefault()
  })
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    openOutside(url, externalPlaces)
    return { action: 'deny' }
  })
}

/** The only door out of the window. */
export function openOutside(url: string, places: readonly string[]): void {
  const address = externalAddress(url, places)
  // Where there is no browser there is nothing to tell the page about it.
  if (address !== undefined) void shell.openExternal(address).catch(() => undefined)
}

function guardSession(guarded: Session, { origin }: GuardOptions): void {
  guarded.setPermissionRequestHandler((_contents, permission, callback, details) => {
    callback(details.isMainFrame && mayUse(permission, { origin: details.requestingUrl, gateway: origin() }))
  })
  guarded.setPermissionCheckHandler((_contents, permission, requestingOrigin, details) => {
    return details.isMainFrame && mayUse(permission, { origin: requestingOrigin, gateway: origin() })
  })
  guarded.setDevicePermissionHandler(() => false)
  guarded.setDisplayMediaRequestHandler((_request, callback) => callback({}))
  guarded.on('will-download', (event, item) => {
    if (!mayDownload(item.getURL(), origin())) event.preventDefault()
  })
}
