// What the search for local servers found, beside what is set up already, and making providers and models of it. Adding twice
// adds nothing the second time: a provider at the same address is used again, and a model that is served from there stays.

import { applyDocument } from '#catalog/apply.ts'
import type { Catalog } from '#catalog/catalog.ts'
import type { CatalogContext } from '#catalog/context.ts'
import type { DiscoveryBody, DiscoveryView } from '#contract/discovery.ts'
import type { ProviderCreate } from '#contract/providers.ts'
import type { ApplyDocument, ModelCreate } from '#contract/schemas.ts'
import { isName } from '#contract/visible.ts'
import type { Provider } from '#core/entities.ts'
import { LOCAL_SERVERS, localBaseUrl, type LocalModel, type LocalServer } from '#core/local-servers.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'

/** For a model whose server does not tell its size: what every server of these loads at least. */
const ASSUMED_CONTEXT_WINDOW = 4096
const MAX_NAME_LENGTH = 200

/** Adds what `add` says, all of it or nothing, and shows everything that was found. */
export async function addDiscovered(
  context: CatalogContext,
  servers: readonly LocalServer[],
  add: DiscoveryBody['add'],
): Promise<DiscoveryView | Refusal> {
  const chosen = choose(context.catalog, servers, add)
  if (isRefusal(chosen)) return chosen
  const document = plan(context.catalog, chosen)
  const applied = await applyDocument(context, document, false)
  if (isRefusal(applied)) return applied
  return {
    servers: servers.map((server) => serverView(context.catalog, server)),
    added: {
      providers: document.providers.map(({ name }) => name),
      models: document.models.map(({ id }) => id),
    },
  }
}

function choose(
  catalog: Catalog,
  servers: readonly LocalServer[],
  add: DiscoveryBody['add'],
): readonly LocalServer[] | Refusal {
  if (add === undefined) return []
  if (add === 'all') return servers.filter((server) => canAdd(catalog, server))
  for (const id of add) {
    const { displayName } = LOCAL_SERVERS[id]
    const server = servers.find((candidate) => candidate.id === id)
    if (server === undefined || server.state === 'not-found') {
      return refuse('not_found', `${displayName} does not answer on this machine. Is it running?`, { param: 'add' })
    }
    if (!canAdd(catalog, server)) {
      const how = `'farebox provider add ${id} --dialect chat-completions --base-url ${localBaseUrl(server.port)}'`
      return refuse('conflict', `${displayName} wants a secret. Add it with ${how} and a secret.`, { param: 'add' })
    }
  }
  return servers.filter(({ id }) => add.includes(id))
}

/** One that wants a secret can be used once a provider has it, if its models are known without. */
function canAdd(catalog: Catalog, server: LocalServer): boolean {
  if (server.state === 'found') return true
  return server.state === 'needs-key' && providerAt(catalog, server.port)?.hasSecret === true
}

type Plan = { providers: ProviderCreate[]; models: ModelCreate[] } & ApplyDocument

function plan(catalog: Catalog, servers: readonly LocalServer[]): Plan {
  const document: Plan = { providers: [], models: [] }
  for (const server of servers) {
    const existing = providerAt(catalog, server.port)
    const name = existing?.name ?? freeProviderName(catalog, server)
    if (existing === undefined) {
      const base_url = localBaseUrl(server.port)
      document.providers.push({ name, preset: server.id, dialect: 'chat-completions', base_url, network: 'local' })
    }
    for (const model of server.models) {
      if (existing !== undefined && servedAs(catalog, existing, model) !== undefined) continue
      const isTaken = (id: string) =>
        catalog.model(id) !== undefined || document.models.some((planned) => planned.id === id)
      const id = freeModelName(model, server, isTaken)
      if (id !== undefined) document.models.push(modelOf(model, { id, provider: name }))
    }
  }
  return document
}

function modelOf({ name, kind, contextWindow }: LocalModel, { id, provider }: { id: string; provider: string }) {
  const size = contextWindow ?? ASSUMED_CONTEXT_WINDOW
  return {
    id,
    kind,
    context_window: size,
    // A local server takes as much output as fits beside the prompt.
    ...(kind === 'chat' ? { max_output_tokens: size } : {}),
    enabled: true,
    price: { input: 0, output: 0 },
    targets: [{ provider, model: name }],
  } satisfies ModelCreate
}

/** The provider at a port of this machine, whichever of its names is used; of several the one for chat completions. */
function providerAt(catalog: Catalog, port: number): Provider | undefined {
  const there = catalog.providers.filter(({ baseUrl }) => {
    const url = URL.parse(baseUrl)
    const isHere = url !== null && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
    return isHere && url.protocol === 'http:' && url.port === String(port) && url.pathname === '/v1'
  })
  return there.find(({ dialect }) => dialect === 'chat-completions') ?? there[0]
}

/** The model that is served by this model of a provider. */
function servedAs(catalog: Catalog, provider: Provider, { name }: LocalModel): string | undefined {
  return catalog.models.find(({ targets }) =>
    targets.some((target) => target.providerId === provider.id && target.upstreamModel === name),
  )?.id
}

function freeProviderName(catalog: Catalog, { id, port }: LocalServer): string {
  if (catalog.provider(id) === undefined) return id
  let name = `${id}-${port}`
  for (let number = 2; catalog.provider(name) !== undefined; number++) name = `${id}-${port}-${number}`
  return name
}

/** The server's own name for it, else one with the server in front; undefined where both are taken or too long, or it is no name. */
function freeModelName(
  { name }: LocalModel,
  { id }: LocalServer,
  isTaken: (id: string) => boolean,
): string | undefined {
  if (!isName(name)) return undefined
  // llama.cpp names a model by its file where nobody named it otherwise.
  const file = /([^/\\]+)\.gguf$/i.exec(name)?.[1] ?? name
  const plain = file.replace(/[^\u0021-\u007e]+/g, '-')
  return [plain, `${id}/${plain}`].find((candidate) => candidate.length <= MAX_NAME_LENGTH && !isTaken(candidate))
}

function serverView(catalog: Catalog, server: LocalServer): DiscoveryView['servers'][number] {
  const provider = providerAt(catalog, server.port)
  return {
    id: server.id,
    name: LOCAL_SERVERS[server.id].displayName,
    base_url: localBaseUrl(server.port),
    state: server.state,
    version: server.version ?? null,
    provider: provider?.name ?? null,
    models: server.models.map((model) => ({
      name: model.name,
      kind: model.kind,
      context_window: model.contextWindow ?? null,
      model: provider === undefined ? null : (servedAs(catalog, provider, model) ?? null),
    })),
  }
}
