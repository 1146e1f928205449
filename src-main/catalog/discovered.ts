// What the search for local servers found, beside what is set up already, and making providers and models of it. Adding twice
// adds nothing the second time: a provider at the same address is used again, and a model that is served from there stays.

import { carryOut, planDocument } from '#catalog/apply.ts'
import type { Catalog } from '#catalog/catalog.ts'
import type { CatalogContext } from '#catalog/context.ts'
import { withLearntContext } from '#catalog/models.ts'
import type { DiscoveryBody, DiscoveryView } from '#contract/discovery.ts'
import type { ProviderCreate } from '#contract/providers.ts'
import type { ApplyDocument, ModelCreate } from '#contract/schemas.ts'
import { isName } from '#contract/visible.ts'
import type { Model, Provider } from '#core/entities.ts'
import { LOCAL_SERVERS, localBaseUrl, type LocalModel, type LocalServer } from '#core/local-servers.ts'
import { USUAL_DIALECT } from '#core/provider-dialect.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'

/** For a model whose server does not tell its size: what every server of these loads at least. */
const ASSUMED_CONTEXT_WINDOW = 4096
/** What the contract takes for the name of a model. */
const MODEL_NAME = /^[\u0021-\u007e]{1,200}$/

type NamedServer = LocalServer & { readonly nameHere: string }

/** Adds what `add` says, all of it or nothing, and shows everything that was found. */
export async function addDiscovered(
  context: CatalogContext,
  found: readonly LocalServer[],
  { add, kind }: Pick<DiscoveryBody, 'add' | 'kind'>,
): Promise<DiscoveryView | Refusal> {
  const servers = found.map((server) => withSaidKind(server, kind))
  const chosen = choose(context.catalog, named(context.catalog, servers), add)
  if (isRefusal(chosen)) return chosen
  const { document, guessed, learnt } = plan(context.catalog, chosen)
  const planned = await planDocument(context, document)
  if (isRefusal(planned)) return planned
  const models = planned.models.map((model) =>
    guessed.has(model.entity.id) ? { ...model, entity: { ...model.entity, isContextGuessed: true as const } } : model,
  )
  const changedAtMs = context.nowMs()
  const rows = learnt.map((model) => ({ type: 'put-model', model, changedAtMs }) as const)
  const refusal = await carryOut(context, { ...planned, models }, { rows })
  if (refusal !== undefined) return refusal
  return {
    servers: named(context.catalog, servers).map((server) => serverView(context.catalog, server)),
    added: {
      providers: document.providers.map(({ name }) => name),
      models: document.models.map(({ id }) => id),
      contexts: learnt.map(({ id }) => id),
    },
  }
}

/** What an administrator says takes the place of a guess. */
function withSaidKind(server: LocalServer, kind: DiscoveryBody['kind']): LocalServer {
  if (kind === undefined) return server
  const models = server.models.map((model) => (model.isKindGuessed ? { ...model, kind, isKindGuessed: false } : model))
  return { ...server, models }
}

function choose(
  catalog: Catalog,
  servers: readonly NamedServer[],
  add: DiscoveryBody['add'],
): readonly NamedServer[] | Refusal {
  if (add === undefined) return []
  if (add === 'all') return servers.filter((server) => canAdd(catalog, server))
  for (const id of add) {
    const { displayName } = LOCAL_SERVERS[id]
    const there = servers.filter((server) => server.id === id && server.state !== 'not-found')
    const [first] = there
    if (first === undefined) {
      return refuse('not_found', `${displayName} does not answer on this machine. Is it running?`, { param: 'add' })
    }
    if (!there.some((server) => canAdd(catalog, server))) {
      const how = `'farebox provider add ${first.nameHere} --preset ${id} --base-url ${localBaseUrl(first.port)} --secret-stdin'`
      return refuse('conflict', `${displayName} wants a secret. Add it with ${how}.`, { param: 'add' })
    }
  }
  return servers.filter((server) => add.includes(server.id) && canAdd(catalog, server))
}

/** One that wants a secret can be used once a provider has it, if its models are known without. */
function canAdd(catalog: Catalog, server: LocalServer): boolean {
  if (server.state === 'found') return true
  return server.state === 'needs-key' && providerAt(catalog, server.port)?.hasSecret === true
}

type DiscoveryPlan = {
  readonly document: { providers: ProviderCreate[]; models: ModelCreate[] } & ApplyDocument
  /** Models to be made whose context window nobody tells. */
  readonly guessed: Set<string>
  /** Models that are there, with the context window that their server tells by now. */
  readonly learnt: Model[]
}

function plan(catalog: Catalog, servers: readonly NamedServer[]): DiscoveryPlan {
  const planned: DiscoveryPlan = { document: { providers: [], models: [] }, guessed: new Set(), learnt: [] }
  for (const server of servers) {
    const existing = providerAt(catalog, server.port)
    if (existing === undefined) {
      const base_url = localBaseUrl(server.port)
      const place = { dialect: USUAL_DIALECT, base_url, network: 'local' } as const
      planned.document.providers.push({ name: server.nameHere, preset: server.id, ...place })
    }
    for (const model of server.models) planModel(catalog, { server, existing, model }, planned)
  }
  return planned
}

type Planning = {
  readonly server: NamedServer
  readonly existing: Provider | undefined
  readonly model: LocalModel
}

function planModel(
  catalog: Catalog,
  { server, existing, model }: Planning,
  { document, guessed, learnt }: DiscoveryPlan,
): void {
  const served = existing && servedAs(catalog, existing, model)
  if (served !== undefined) {
    const changed = withLearntContext(served, model.contextWindow)
    if (changed !== undefined) learnt.push(changed)
    return
  }
  const isTaken = (id: string) =>
    catalog.model(id) !== undefined || document.models.some((planned) => planned.id === id)
  const id = freeModelName(model, server, isTaken)
  if (id === undefined) return
  document.models.push(modelOf(model, { id, provider: server.nameHere }))
  if (model.contextWindow === undefined) guessed.add(id)
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

/** The provider at a port of this machine, whichever of its names is used; of several the one that speaks the usual dialect. */
function providerAt(catalog: Catalog, port: number): Provider | undefined {
  const there = catalog.providers.filter(({ baseUrl }) => {
    const url = URL.parse(baseUrl)
    const isHere = url !== null && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
    return isHere && url.protocol === 'http:' && (url.port || '80') === String(port) && url.pathname === '/v1'
  })
  return there.find(({ dialect }) => dialect === USUAL_DIALECT) ?? there[0]
}

/** The model that is served by this model of a provider. */
function servedAs(catalog: Catalog, provider: Provider, { name }: LocalModel): Model | undefined {
  return catalog.models.find(({ targets }) =>
    targets.some((target) => target.providerId === provider.id && target.upstreamModel === name),
  )
}

/** The servers with the names of their providers, of those that are there and of those that would be made: no two have one name. */
function named(catalog: Catalog, servers: readonly LocalServer[]): NamedServer[] {
  const given = new Set<string>()
  const isTaken = (name: string) => given.has(name) || catalog.provider(name) !== undefined
  return servers.map((server) => {
    const existing = providerAt(catalog, server.port)
    if (existing !== undefined) return { ...server, nameHere: existing.name }
    const nameHere = freeProviderName(server, isTaken)
    given.add(nameHere)
    return { ...server, nameHere }
  })
}

function freeProviderName({ id, port }: LocalServer, isTaken: (name: string) => boolean): string {
  if (!isTaken(id)) return id
  let name = `${id}-${port}`
  for (let number = 2; isTaken(name); number++) name = `${id}-${port}-${number}`
  return name
}

/**
 * The server's own name for it, else one with the server in front, else one with the provider; undefined where all are taken or
 * too long, or it is no name.
 */
function freeModelName(
  { name }: LocalModel,
  { id, nameHere }: NamedServer,
  isTaken: (id: string) => boolean,
): string | undefined {
  if (!isName(name)) return undefined
  // llama.cpp names a model by its file where nobody named it otherwise.
  const file = /(?<![^/\\])([^/\\]+)\.gguf$/i.exec(name)?.[1] ?? name
  const plain = file.replace(/[^\u0021-\u007e]+/g, '-')
  const candidates = [plain, `${id}/${plain}`, `${nameHere}/${plain}`]
  return candidates.find((candidate) => MODEL_NAME.test(candidate) && !isTaken(candidate))
}

function serverView(catalog: Catalog, server: NamedServer): DiscoveryView['servers'][number] {
  const provider = providerAt(catalog, server.port)
  return {
    id: server.id,
    name: LOCAL_SERVERS[server.id].displayName,
    base_url: localBaseUrl(server.port),
    state: server.state,
    version: server.version ?? null,
    provider: provider?.name ?? null,
    name_here: server.nameHere,
    models: server.models.map((model) => {
      const served = provider && servedAs(catalog, provider, model)
      return {
        name: model.name,
        kind: model.kind,
        kind_source: model.isKindGuessed ? 'name' : 'provider',
        context_window: model.contextWindow ?? null,
        model: served?.id ?? null,
        tells_context: served !== undefined && withLearntContext(served, model.contextWindow) !== undefined,
      }
    }),
  }
}
