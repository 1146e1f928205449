// How other machines reach Farebox, as the form has it.

import type { LanChange, LanView } from '#contract/lan.ts'

export type LanForm = {
  /** The value of one of `lanPlaces`; empty where none is chosen. */
  readonly place: string
  readonly port: string
  /** With spaces or commas between them. */
  readonly names: string
  readonly administration: boolean
}

export type LanPlace = { readonly value: string; readonly label: string }

const DEFAULT_PORT = 3273

/** What can be chosen: each interface with the address it stands for, its other addresses, and what is set if it is not there now. */
export function lanPlaces({ interfaces, settings }: Pick<LanView, 'interfaces' | 'settings'>): LanPlace[] {
  const found = new Map<string, string>()
  for (const { name, address } of interfaces) {
    const value = `interface ${name}`
    if (found.has(value)) found.set(`address ${address}`, address)
    else found.set(value, `${name} (${address})`)
  }
  const set = placeOf(settings)
  if (set !== '' && !found.has(set)) found.set(set, set.replace(/^\w+ /, ''))
  return Array.from(found, ([value, label]) => ({ value, label }))
}

export function lanFormOf(view: Pick<LanView, 'interfaces' | 'settings'>): LanForm {
  const { settings } = view
  return {
    place: placeOf(settings) || (lanPlaces(view)[0]?.value ?? ''),
    port: String(settings?.port ?? DEFAULT_PORT),
    names: settings?.names.join(' ') ?? '',
    administration: settings?.administration ?? false,
  }
}

/** What is sent; undefined while something in the form cannot be read. */
export function lanChangeOf({ place, port, names, administration }: LanForm): LanChange | undefined {
  const [kind, ...rest] = place.split(' ')
  const name = rest.join(' ')
  const isPort = /^[0-9]{1,5}$/.test(port.trim()) && Number(port) >= 1 && Number(port) <= 65_535
  if (name === '' || !isPort) return undefined
  return {
    ...(kind === 'interface' ? { interface: name } : { address: name }),
    port: Number(port),
    names: names.split(/[\s,]+/).filter((part) => part !== ''),
    administration,
  }
}

function placeOf(settings: LanView['settings']): string {
  if (settings === null) return ''
  return settings.interface === null ? `address ${settings.address ?? ''}` : `interface ${settings.interface}`
}
