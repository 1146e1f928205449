// What was found on this machine. Two servers of one kind can run beside each other, so that a kind alone names none.

import type { DiscoveryBody, DiscoveryView } from '#contract/discovery.ts'

export type LocalServer = DiscoveryView['servers'][number]
export type LocalModel = LocalServer['models'][number]
/** Which server it is: its kind and its base URL. */
export type Place = string

export function placeOf({ id, base_url }: Pick<LocalServer, 'id' | 'base_url'>): Place {
  return `${id} ${base_url}`
}

/** Servers that answered and have something that is not set up here yet. */
export function addableServers(servers: readonly LocalServer[]): readonly Place[] {
  return servers.filter(isAddable).map(placeOf)
}

/** The request that adds these servers and no others of their kinds. */
export function discoveryBody(
  servers: readonly LocalServer[],
  chosen: readonly Place[],
  kind: '' | LocalModel['kind'] = '',
): DiscoveryBody {
  const wanted = servers.filter((server) => chosen.includes(placeOf(server)))
  const ids = [...new Set(wanted.map(({ id }) => id))]
  const portsOf = (id: LocalServer['id']) =>
    wanted.filter((server) => server.id === id).map(({ base_url }) => portOf(base_url))
  const ports = Object.fromEntries(ids.map((id) => [id, portsOf(id)]))
  return { add: ids, ports, ...(kind === '' ? {} : { kind }) }
}

/** Whether some model would be added of which its server does not say what it is for. */
export function isKindOpen(servers: readonly LocalServer[], chosen: readonly Place[]): boolean {
  const wanted = servers.filter((server) => chosen.includes(placeOf(server)))
  return wanted.some(({ models }) => models.some(({ model, kind_source }) => model === null && kind_source === 'name'))
}

/** A URL does not say the port that everybody knows. */
function portOf(baseUrl: string): number {
  return Number(new URL(baseUrl).port || 80)
}

export function isAddable({ state, provider, models }: LocalServer): boolean {
  const tellsMore = models.some(({ tells_context }) => tells_context)
  return state === 'found' && (provider === null || newModels({ models }) > 0 || tellsMore)
}

/** How many of its models are not served here yet. */
export function newModels({ models }: Pick<LocalServer, 'models'>): number {
  return models.filter(({ model }) => model === null).length
}
