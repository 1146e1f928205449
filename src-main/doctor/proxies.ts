// Proxies that a tool would ask for the gateway, by the variables that most programs go by.

import type { Surroundings } from '#connect/expand.ts'

type Environment = Surroundings['env']

/** The variables that name a proxy for an address, where no exception covers it. */
export function uncoveredProxies(
  address: string,
  env: Environment,
): { readonly host: string; readonly variables: readonly string[] } {
  const { hostname, protocol, port } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  const scheme = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const variables = [scheme, 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]).filter((name) => !!env[name])
  const exceptions = [env['NO_PROXY'], env['no_proxy']].flatMap((list) => (list ?? '').split(/[\s,]+/))
  return { host, variables: exceptions.some((one) => covers(one, host, port)) ? [] : variables }
}

/** An exception is a name with those below it, with or without a dot or a star before it, perhaps with a port. */
function covers(exception: string, host: string, port: string): boolean {
  if (exception === '*') return true
  const text = exception.replace(/^\*?\./, '')
  const [, named, onlyPort] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? []
  const name = named ?? (text.includes('::') ? text : '')
  const bare = name.replace(/^\[|\]$/g, '').toLowerCase()
  if (bare === '' || (onlyPort !== undefined && onlyPort !== port)) return false
  return host === bare || host.endsWith(`.${bare}`)
}
