// Who may have how many of the file descriptors that the system gives to the process (RLIMIT_NOFILE). Clients never get so many that none is
// left for a call's connection to its provider, or for the database, the journal and the threads.

export type DescriptorShares = {
  /** undefined where the system sets none, or none can be read. */
  readonly limit: number | undefined
  /** Connections of HTTP from clients, over all listeners. */
  readonly connections: number
  readonly webSockets: number
  /** Calls that run at a time: each may need a connection to its provider. */
  readonly calls: number
  /** Whether the limit allows fewer clients than Farebox would serve. */
  readonly isLow: boolean
}

/** More than a team and its tools need. A WebSocket takes some tens of kilobytes, and a tool has one for each conversation. */
const MAX_SHARES = { connections: 4096, webSockets: 1024 } as const
const MAX_CLIENTS = MAX_SHARES.connections + MAX_SHARES.webSockets
const WEB_SOCKETS_SHARE = MAX_SHARES.webSockets / MAX_CLIENTS

/** For Farebox itself, which has 40 open while it does nothing: threads, the database, uploads, reports, the keychain, a shared database. */
const OWN = { most: 256, least: 96, share: 1 / 4 } as const
/** Whatever the limit is. */
const FEWEST = 16

export function shareDescriptors(limit: number | undefined): DescriptorShares {
  if (limit === undefined) return { limit, ...MAX_SHARES, calls: Number.POSITIVE_INFINITY, isLow: false }
  const own = Math.min(OWN.most, Math.max(OWN.least, limit * OWN.share))
  const others = Math.max(FEWEST, Math.floor(limit - own))
  const clients = Math.min(MAX_CLIENTS, Math.floor(others / 2))
  const webSockets = Math.floor(clients * WEB_SOCKETS_SHARE)
  const connections = clients - webSockets
  return { limit, connections, webSockets, calls: others - clients, isLow: clients < MAX_CLIENTS }
}
