// What was found on this machine.

import type { DiscoveryView } from '#contract/discovery.ts'

export type LocalServer = DiscoveryView['servers'][number]

/** Servers that answered and have something that is not set up here yet. */
export function addableServers(servers: readonly LocalServer[]): readonly LocalServer['id'][] {
  return servers.filter(isAddable).map(({ id }) => id)
}

export function isAddable({ state, provider, models }: LocalServer): boolean {
  return state === 'found' && (provider === null || newModels({ models }) > 0)
}

/** How many of its models are not served here yet. */
export function newModels({ models }: Pick<LocalServer, 'models'>): number {
  return models.filter(({ model }) => model === null).length
}
