// Providers: add, edit, secret, remove.

import type { CatalogContext } from '#catalog/context.ts'
import { secretProblem } from '#catalog/given-secret.ts'
import { fillFromPreset } from '#catalog/presets.ts'
import {
  headersProblem,
  nextCredentials,
  readHeaders,
  withCredentials,
  type GivenCredentials,
} from '#catalog/provider-headers.ts'
import { readLimits, readTimeLimits } from '#catalog/provider-limits.ts'
import { readQuirks } from '#catalog/quirks.ts'
import { commitWithSecrets, originOf, refreshSecrets, removedView, secretState } from '#catalog/secrets.ts'
import { providerView } from '#catalog/views.ts'
import type { ProviderCreate, ProviderEdit, ProviderRemoved, ProviderView } from '#contract/providers.ts'
import { baseUrlProblem, namesThisMachine, readUrl } from '#core/address.ts'
import { credentialsText, hasCredentials } from '#core/credentials.ts'
import type { Network, OutputCapField, Provider } from '#core/entities.ts'
import { isDemo } from '#core/provider-dialect.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'

/** Hosts whose newest models take only `max_completion_tokens`; everybody else understands `max_tokens`. */
const COMPLETION_CAP_HOSTS = /(^|\.)(api\.openai\.com|openai\.azure\.com)$/

export async function addProvider(context: CatalogContext, input: ProviderCreate): Promise<ProviderView | Refusal> {
  if (context.catalog.provider(input.name) !== undefined) {
    return refuse('conflict', `There is a provider named '${input.name}' already.`, { param: 'name' })
  }
  const provider = readProvider(context, input, undefined)
  if (isRefusal(provider)) return provider
  const given = { secret: input.secret, headers: input.header_secrets, isWhole: true }
  const next = await giveCredentials(context, provider, given)
  if (isRefusal(next)) return next
  const { stored, secrets } = next
  const committed = await commitWithSecrets(context, {
    secrets,
    leaving: secrets.map(() => provider.id),
    rows: [{ type: 'put-provider', provider: stored }],
  })
  if (isRefusal(committed)) return committed
  return providerView(stored, hasCredentials(stored) ? 'stored' : 'none')
}

/** The provider with the credentials that it has once these are given, and what is to be kept for it. */
export async function giveCredentials(context: CatalogContext, provider: Provider, given: GivenCredentials) {
  const wrong = given.secret === undefined ? undefined : secretProblem(provider, given.secret)
  if (wrong !== undefined) return wrong
  const isAsBefore = given.secret === undefined && given.headers === undefined
  const credentials = isAsBefore ? undefined : await nextCredentials(context, provider, given)
  if (credentials !== undefined && isRefusal(credentials)) return credentials
  const stored = credentials === undefined ? provider : withCredentials(provider, credentials)
  const problem = headersProblem(stored)
  if (problem !== undefined) return problem
  const isKept = credentials !== undefined && hasCredentials(stored)
  return { stored, secrets: isKept ? [{ provider: stored, secret: credentialsText(credentials) }] : [] }
}

/**
 * What is left out stays; quirks, limits and time limits are replaced as a whole. At another origin its secret is forgotten, as
 * if the provider were removed. Calls that are running end as they were admitted.
 */
export async function editProvider(
  context: CatalogContext,
  idOrName: string,
  edit: ProviderEdit,
): Promise<ProviderView | Refusal> {
  const provider = context.catalog.provider(idOrName)
  if (provider === undefined) return noProvider(idOrName)
  const changed = readEdit(provider, edit)
  if (isRefusal(changed)) return changed
  const hasMoved = originOf(changed) !== originOf(provider)
  const base = hasMoved ? { ...changed, hasSecret: false, pool: [], headerSecrets: [] } : changed
  const given = { secret: undefined, headers: edit.header_secrets, isWhole: false }
  const next = await giveCredentials(context, base, given)
  if (isRefusal(next)) return next
  const { stored, secrets } = next
  const isLeaving = hasMoved || (hasCredentials(provider) && !hasCredentials(stored))
  const committed = await commitWithSecrets(context, {
    secrets,
    leaving: isLeaving ? [provider.id] : [],
    rows: [{ type: 'put-provider', provider: stored }],
  })
  if (isRefusal(committed)) return committed
  if (isReachedOtherwise(edit)) {
    context.targetsChanged(context.catalog.targetsAt(new Set([provider.id])))
  }
  await refreshSecrets(context)
  return providerView(stored, secretState(context, stored))
}

/** Limits and what becomes of a request whose client leaves say nothing about the provider itself. */
function isReachedOtherwise({ limits: _limits, on_disconnect: _choice, ...rest }: ProviderEdit): boolean {
  return Object.keys(rest).length > 0
}

function readEdit(provider: Provider, edit: ProviderEdit): Provider | Refusal {
  const address = readAddress(provider, edit)
  if (isRefusal(address)) return address
  const limits = edit.limits === undefined ? provider.limits : readLimits(edit.limits)
  if (isRefusal(limits)) return limits
  const headers = edit.headers === undefined ? provider.headers : readHeaders(edit.headers, 'headers')
  if (isRefusal(headers)) return headers
  return {
    ...provider,
    ...address,
    headers,
    secretHeader: edit.secret_header ?? provider.secretHeader,
    outputCapField: edit.output_cap_field ?? provider.outputCapField,
    onDisconnect: edit.on_disconnect ?? provider.onDisconnect,
    quirks: edit.quirks === undefined ? provider.quirks : readQuirks(edit.quirks),
    limits,
    timeLimits: edit.time_limits === undefined ? provider.timeLimits : readTimeLimits(edit.time_limits),
  }
}

const OF_AN_ADDRESS = ['base_url', 'network', 'secret_header', 'headers', 'header_secrets'] as const

/** Where an edited provider is, and which addresses it may have there. The two are judged together. */
function readAddress(provider: Provider, edit: ProviderEdit): Pick<Provider, 'baseUrl' | 'network'> | Refusal {
  if (isDemo(provider)) {
    const param = OF_AN_ADDRESS.find((name) => edit[name] !== undefined)
    if (param === undefined) return provider
    return demoHasNo(param)
  }
  const baseUrl = edit.base_url === undefined ? provider.baseUrl : readBaseUrl(edit.base_url)
  if (isRefusal(baseUrl)) return baseUrl
  const network = edit.network ?? provider.network
  const problem = baseUrlProblem(new URL(baseUrl), network)
  if (problem === undefined) return { baseUrl, network }
  const param = edit.base_url === undefined ? 'network' : 'base_url'
  return refuse('invalid_request', `'base_url' ${problem}.`, { param })
}

export async function setProviderSecret(
  context: CatalogContext,
  idOrName: string,
  secret: string,
): Promise<ProviderView | Refusal> {
  const provider = context.catalog.provider(idOrName)
  if (provider === undefined) return noProvider(idOrName)
  if (isDemo(provider)) return demoNeedsNoSecret()
  const next = await giveCredentials(context, provider, { secret, headers: undefined, isWhole: false })
  if (isRefusal(next)) return next
  const { stored, secrets } = next
  const rows = provider.hasSecret ? [] : [{ type: 'put-provider', provider: stored } as const]
  const committed = await commitWithSecrets(context, { secrets, leaving: [], rows })
  if (isRefusal(committed)) return committed
  // What was sent until now is remembered with the provider as it was.
  if (provider.hasSecret) context.catalog.accept({ type: 'put-provider', provider: stored })
  return providerView(stored, 'stored')
}

export async function removeProvider(context: CatalogContext, idOrName: string): Promise<ProviderRemoved | Refusal> {
  const provider = context.catalog.provider(idOrName)
  if (provider === undefined) return noProvider(idOrName)
  const model = context.catalog.models.find((candidate) =>
    candidate.targets.some((target) => target.providerId === provider.id),
  )
  if (model !== undefined) {
    return refuse('conflict', `Model '${model.id}' has a target at '${provider.name}'. Remove the model first.`)
  }
  const removed = await commitWithSecrets(context, {
    secrets: [],
    leaving: isDemo(provider) ? [] : [provider.id],
    rows: [{ type: 'delete-provider', id: provider.id }],
  })
  return isRefusal(removed) ? removed : removedView(removed.isForgotten)
}

/** The provider that an input describes; `existing` keeps its identity. Whether it has a secret is for the caller. */
export function readProvider(
  context: CatalogContext,
  said: ProviderCreate,
  existing: Provider | undefined,
): Provider | Refusal {
  const input = fillFromPreset(said)
  if (isRefusal(input)) return input
  if (isDemo(input)) {
    if (input.secret !== undefined) return demoNeedsNoSecret()
    const param = (['headers', 'header_secrets'] as const).find((name) => input[name] !== undefined)
    if (param !== undefined) return demoHasNo(param)
  }
  const { dialect } = input
  if (dialect === undefined) return refuse('invalid_request', "'dialect' is required.", { param: 'dialect' })
  const baseUrl = isDemo(input) ? '' : readBaseUrl(input.base_url)
  if (isRefusal(baseUrl)) return baseUrl
  const network = input.network ?? defaultNetwork(baseUrl)
  const problem = baseUrl === '' ? undefined : baseUrlProblem(new URL(baseUrl), network)
  if (problem !== undefined) return refuse('invalid_request', `'base_url' ${problem}.`, { param: 'base_url' })
  const limits = readLimits(input.limits)
  if (isRefusal(limits)) return limits
  const headers = readHeaders(input.headers, 'headers')
  if (isRefusal(headers)) return headers
  return {
    id: existing?.id ?? context.newId(),
    name: input.name,
    preset: input.preset,
    dialect,
    baseUrl,
    network,
    hasSecret: existing?.hasSecret ?? false,
    pool: existing?.pool ?? [],
    secretHeader: input.secret_header,
    headers,
    headerSecrets: existing?.headerSecrets ?? [],
    outputCapField: input.output_cap_field ?? defaultCapField(baseUrl),
    onDisconnect: input.on_disconnect ?? 'cancel',
    quirks: readQuirks(input.quirks),
    limits,
    timeLimits: readTimeLimits(input.time_limits),
    createdAtMs: existing?.createdAtMs ?? context.nowMs(),
  }
}

function demoHasNo(param: string): Refusal {
  return refuse('invalid_request', `The demo provider calls nobody, so it has no '${param}'.`, { param })
}

function demoNeedsNoSecret(): Refusal {
  return refuse('invalid_request', 'The demo provider has no secret.', { param: 'secret' })
}

export function noProvider(idOrName: string): Refusal {
  return refuse('not_found', `There is no provider '${idOrName}'.`)
}

function defaultCapField(baseUrl: string): OutputCapField {
  const host = baseUrl === '' ? '' : new URL(baseUrl).hostname
  return COMPLETION_CAP_HOSTS.test(host) ? 'max_completion_tokens' : 'max_tokens'
}

/** A base URL that names this machine in so many words says already that a local server is meant. */
function defaultNetwork(baseUrl: string): Network {
  return baseUrl !== '' && namesThisMachine(new URL(baseUrl)) ? 'local' : 'public'
}

function readBaseUrl(text: string | undefined): string | Refusal {
  const wrong = (says: string) => refuse('invalid_request', `'base_url' ${says}.`, { param: 'base_url' })
  if (text === undefined || text === '') return wrong('is required')
  const url = readUrl(text)
  if (typeof url === 'string') return wrong(url)
  // An empty query or fragment is none to URL, but its sign would stay in front of the paths that are added.
  if (/[?#]/.test(text)) return wrong('must not contain a query or fragment')
  return url.href.replace(/(?<!\/)\/+$/, '')
}
