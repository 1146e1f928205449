// How the LAN is, in the words of the admin API.

import type { LanCertificate, LanStatus, LanView } from '#contract/lan.ts'
import { hostOf, type LanSettings } from '#core/lan.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { LanState } from '#lan/lan.ts'
import { addressOf, isPublic, lanAddresses } from '#lan/places.ts'

export function lanView(state: LanState): LanView {
  const { settings, running, problem, interfaces } = state
  return {
    state: stateOf(state),
    problem: problem ?? null,
    urls: urlsOf(state),
    is_public: isPublic(running?.address ?? placeOf(state)),
    settings: settings === undefined ? null : settingsView(settings),
    certificate: running === undefined ? null : certificateView(running.identity),
    interfaces: lanAddresses(interfaces).map((place) => ({ ...place, is_public: isPublic(place.address) })),
  }
}

export function lanStatus(state: LanState): LanStatus {
  const { running, problem } = state
  return {
    state: stateOf(state),
    urls: urlsOf(state),
    problem: problem ?? null,
    certificate_expires_at: running === undefined ? null : new Date(running.identity.expiresAtMs).toISOString(),
  }
}

export function lanCertificate({ running }: LanState): LanCertificate | Refusal {
  if (running === undefined) return refuse('not_found', 'The LAN is off, so that there is no certificate to trust.')
  const { fingerprint, source, certificate } = running.identity
  return { fingerprint, source, certificate }
}

/** Where others reach it; a host name first, where there is one. */
function urlsOf({ settings, running }: LanState): string[] {
  if (settings === undefined || running === undefined) return []
  return [...settings.names, running.address].map((name) => `https://${hostOf(name, running.port)}`)
}

function stateOf({ settings, running, isOpen }: LanState): LanView['state'] {
  if (running !== undefined) return 'on'
  if (settings?.isOn !== true) return 'off'
  return isOpen ? 'failed' : 'waiting'
}

function placeOf({ settings, interfaces }: LanState): string {
  const address = settings === undefined ? '' : addressOf(settings.place, interfaces)
  return isRefusal(address) ? '' : address
}

function settingsView({ place, port, names, isAdministered, files }: LanSettings): NonNullable<LanView['settings']> {
  return {
    address: place.type === 'address' ? place.address : null,
    interface: place.type === 'interface' ? place.name : null,
    port,
    names: [...names],
    administration: isAdministered,
    certificate_file: files?.certificate ?? null,
    key_file: files?.key ?? null,
  }
}

function certificateView({ fingerprint, source, names, expiresAtMs }: NonNullable<LanState['running']>['identity']) {
  return { fingerprint, source, names: [...names], expires_at: new Date(expiresAtMs).toISOString() }
}
