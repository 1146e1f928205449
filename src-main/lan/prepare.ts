// Everything that can be known about a listener for the LAN before anything is changed: its address, and the certificate that it shows.

import { networkInterfaces } from 'node:os'
import type { LanSettings } from '#core/lan.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { covers, makeIdentity, readMadeIdentity, readOwnIdentity, type Identity } from '#lan/identity.ts'
import { addressOf, type Interfaces } from '#lan/places.ts'

export type Prepared = { readonly address: string; readonly port: number; readonly identity: Identity }

export type Preparing = {
  readonly isNew: boolean
  /** Whether somebody asked for it just now, who then sees what it comes to. */
  readonly isDeliberate: boolean
}

export type PreparingDeps = {
  readonly dataDir: string
  readonly nowMs: () => number
  /** Whether there is an administrator who can sign in with a password. */
  readonly hasAdministrator: () => boolean
  readonly interfaces?: () => Interfaces
}

const DAY_MS = 86_400_000
/** A certificate is made anew so long before it ends. */
export const RENEW_MS = 30 * DAY_MS

/** Changes nothing. Refuses where the LAN could not be opened with these settings now. */
export function prepare(deps: PreparingDeps, settings: LanSettings, how: Preparing): Prepared | Refusal {
  if (!deps.hasAdministrator()) {
    const hint = 'Add one: farebox member add NAME --role administrator, with a password.'
    return refuse('conflict', `The LAN needs an administrator who can sign in with a password. ${hint}`)
  }
  const address = addressOf(settings.place, (deps.interfaces ?? networkInterfaces)())
  if (isRefusal(address)) return address
  const identity = identityFor(deps, settings, { ...how, address })
  return isRefusal(identity) ? identity : { address, port: settings.port, identity }
}

function identityFor(
  { dataDir, nowMs }: PreparingDeps,
  settings: LanSettings,
  how: Preparing & { readonly address: string },
): Identity | Refusal {
  const hosts = settings.names
  const names = [how.address, ...hosts]
  if (settings.files !== undefined) {
    // Under a new address the names go on being right.
    return readOwnIdentity(settings.files, how.isDeliberate ? names : hosts, nowMs())
  }
  const before = how.isNew ? undefined : readMadeIdentity(dataDir)
  if (isRefusal(before)) return before
  if (before === undefined && !how.isDeliberate) {
    // A backup that was restored on another machine must not open that machine.
    return refuse('conflict', `There is no certificate in the data folder. Turn the LAN on once more: farebox lan on`)
  }
  if (before !== undefined && isGood(before, { names, hosts, isDeliberate: how.isDeliberate, nowMs: nowMs() })) {
    return before
  }
  return makeIdentity(names, nowMs(), before)
}

type Needed = {
  readonly names: readonly string[]
  /** Those of the names that are host names. */
  readonly hosts: readonly string[]
  readonly isDeliberate: boolean
  readonly nowMs: number
}

/**
 * Whether a certificate that Farebox made can be kept. An address that has changed by itself is no reason for a new one while there
 * are host names: whoever uses these would have to trust a new certificate for nothing.
 */
function isGood(identity: Identity, { names, hosts, isDeliberate, nowMs }: Needed): boolean {
  if (identity.expiresAtMs - nowMs <= RENEW_MS) return false
  const needed = isDeliberate || hosts.length === 0 ? names : hosts
  return needed.every((name) => covers(identity, name))
}
