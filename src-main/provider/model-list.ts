// Asks a provider which models it has. Listing costs nothing anywhere. Bounded in pages, bytes and time; redirects are not
// followed, because the secret must not go along.

import type { ModelKind, Provider } from '#core/entities.ts'
import type { ListedModel, ModelListPlace } from '#core/listed-model.ts'
import { UpstreamFailure } from '#core/failure.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { SecretFailure } from '#core/secret-failure.ts'
import { dialectOf, modelListOf } from '#dialect/dialects.ts'
import type { JsonBounds } from '#dialect/json-meter.ts'
import { ask, type Question, type WayOut } from '#provider/ask.ts'
import { givenHeaders, presentSecret, readCredentialsOf, withToken, type NewTokens } from '#provider/authentication.ts'
import { MAX_MODELS, readListText, type ReadListText } from '#provider/listed-models.ts'
import { kindByEmptyEmbeddings } from '#provider/llama-cpp.ts'
import type { SecretKeeper } from '#secret/port.ts'

/** All pages together. */
const TIME_LIMIT_MS = 20_000
const MAX_BYTES = 8 * 1_048_576
const MAX_PAGES = 20
const MAX_REFUSAL_BYTES = 65_536
/** Of a page: five thousand models with all that OpenRouter says of each. */
const BOUNDS: JsonBounds = { depth: 200, pieces: 1_000_000, members: 500_000, outermost: 1000, values: 1_000_000 }

export type ListDeps = {
  readonly secrets: Pick<SecretKeeper, 'get' | 'known'>
  readonly newTokens: NewTokens
  readonly connections: WayOut
  readonly userAgent: string
  /** Here unless given. */
  readonly readPage?: ReadListText
  readonly timeLimitMs?: number
}

/** The models in the provider's order, or why there are none, in a sentence that holds nothing of the provider's answer. */
export async function listModels(
  provider: Provider,
  place: ModelListPlace,
  deps: ListDeps,
): Promise<readonly ListedModel[] | Refusal> {
  const { secrets, connections, userAgent, readPage = readListText, timeLimitMs = TIME_LIMIT_MS } = deps
  const list = modelListOf({ dialect: place.dialect, quirks: provider.quirks })
  if (list === undefined) return failed('It has no list of models behind its base URL. Add its models by their names.')
  const headers = await headersFor(provider, place, deps).catch((error: unknown) => {
    if (error instanceof SecretFailure || error instanceof UpstreamFailure) return failed(error.message)
    throw error
  })
  if (isRefusal(headers)) return headers
  if (headers === undefined) return failed('Its secret is not there any more. Set it again.')
  const dispatcherOf = (baseUrl: string) => connections.pool({ ...provider, baseUrl })
  const endsAtMs = performance.now() + timeLimitMs
  const leftMs = () => Math.max(1, Math.ceil(endsAtMs - performance.now()))
  const asking = { headers: { 'user-agent': userAgent, ...headers }, secrets: secrets.known(provider.id), dispatcherOf }
  const models = new Map<string, ListedModel>()
  let query: Readonly<Record<string, string>> | undefined = {}
  let bytesLeft = MAX_BYTES
  for (let page = 0; query !== undefined && page < MAX_PAGES && models.size < MAX_MODELS; page++) {
    const url = `${place.baseUrl}/models?${new URLSearchParams({ ...list.query, ...query }).toString()}`
    const pageUrl = url.replace(/\?$/, '')
    const limits = { timeLimitMs: leftMs(), maxBytes: bytesLeft, bounds: BOUNDS }
    const answer = await ask({ ...asking, ...limits, method: 'GET', url: pageUrl })
    if (answer.type === 'problem') return failed(`It could not be reached (${answer.detail}).`)
    if (answer.status !== 200) return failed(judge(answer.status))
    bytesLeft -= Buffer.byteLength(answer.text)
    const read = bytesLeft <= 0 || answer.isExcessive ? 'too-large' : await readPage(answer.text, place)
    if (read === 'too-large') return failed('Its list of models is too large.')
    if (read === 'not-json') return failed('It answers with something that is not JSON.')
    if (read === undefined) return failed('It answers with something that is no list of models. Check the base URL.')
    const kind = read.isLlamaCpp ? await askForKind(place.baseUrl, { ...asking, timeLimitMs: leftMs() }) : undefined
    for (const model of read.models) {
      if (models.size < MAX_MODELS) models.set(model.id, kind === undefined ? model : { ...model, kind })
    }
    query = read.next
  }
  return [...models.values()]
}

/** Asks for embeddings of nothing, which costs nothing: what a llama.cpp server says to that tells what it serves. */
async function askForKind(
  baseUrl: string,
  asking: Pick<Question, 'headers' | 'secrets' | 'dispatcherOf' | 'timeLimitMs'>,
): Promise<ModelKind | undefined> {
  const answer = await ask({
    ...asking,
    method: 'POST',
    url: `${baseUrl}/embeddings`,
    headers: { ...asking.headers, 'content-type': 'application/json' },
    body: '{}',
    maxBytes: MAX_REFUSAL_BYTES,
  })
  return kindByEmptyEmbeddings(answer.type === 'answer' ? answer.status : undefined)
}

async function headersFor(
  provider: Provider,
  place: ModelListPlace,
  deps: ListDeps,
): Promise<Record<string, string> | undefined> {
  const headers = { accept: 'application/json', ...dialectOf(place).headers }
  const credentials = await readCredentialsOf(provider, deps.secrets)
  if (credentials === undefined) return undefined
  const given = givenHeaders(provider, credentials)
  const isOwnDialect = place.dialect === provider.dialect
  const asked = isOwnDialect ? provider : { ...provider, dialect: place.dialect, secretHeader: undefined }
  const shown = await withToken(asked, credentials.secret, deps.newTokens)
  if (shown.secret === undefined) return { ...headers, ...given }
  return { ...headers, ...presentSecret(shown.provider, shown.secret), ...given }
}

function judge(status: number): string {
  if (status === 401 || status === 403) return `It refuses the secret, or wants one (${status}).`
  if (status === 404) return 'It has no list of models there (404). Check the base URL.'
  if (status >= 300 && status < 400) return `It redirects (${status}), which is not followed.`
  return `It answers ${status}.`
}

function failed(message: string): Refusal {
  return refuse('upstream_error', message)
}
