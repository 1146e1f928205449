// From what somebody asks for and what was set before to what is to be set. Nothing is looked up here.

import type { LanChange } from '#contract/lan.ts'
import { readLanAddress, readLanNames, type LanPlace, type LanSettings } from '#core/lan.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'

/** The same port as on this machine: the addresses differ. */
const DEFAULT_PORT = 3273

export function mergeSettings(before: LanSettings | undefined, input: LanChange): LanSettings | Refusal {
  const place = readPlace(before, input)
  if (isRefusal(place)) return place
  const names = input.names === undefined ? (before?.names ?? []) : readLanNames(input.names)
  if (isRefusal(names)) return names
  const files = readFiles(before, input)
  if (isRefusal(files)) return files
  return {
    isOn: true,
    place,
    port: input.port ?? before?.port ?? DEFAULT_PORT,
    names,
    isAdministered: input.administration ?? before?.isAdministered ?? false,
    files,
  }
}

function readPlace(before: LanSettings | undefined, { address, interface: name }: LanChange): LanPlace | Refusal {
  if (address !== undefined && name !== undefined) {
    return refuse('invalid_request', 'Choose an address or an interface, not both.', { param: 'address' })
  }
  if (name !== undefined) return { type: 'interface', name }
  if (address !== undefined) {
    const read = readLanAddress(address)
    return isRefusal(read) ? read : { type: 'address', address: read }
  }
  const message = 'Choose where other machines reach this one: an interface or one of its addresses.'
  return before?.place ?? refuse('invalid_request', message, { param: 'interface' })
}

function readFiles(
  before: LanSettings | undefined,
  { certificate_file: certificate, key_file: key }: LanChange,
): LanSettings['files'] | Refusal {
  if (certificate === undefined && key === undefined) return before?.files
  if (certificate === null && (key === null || key === undefined)) return undefined
  if (typeof certificate === 'string' && typeof key === 'string') return { certificate, key }
  const message = 'A certificate and its key belong together: name both files, or neither.'
  return refuse('invalid_request', message, { param: 'certificate_file' })
}
