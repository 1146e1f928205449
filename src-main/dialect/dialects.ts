// The table of client formats and provider dialects: one line for each, and nothing else in the program that tells them apart.

import type { ModelKind, Provider } from '#core/entities.ts'
import { isDemo, wireDialect, type FormatName, type WireDialect } from '#core/provider-dialect.ts'
import { DEFAULT_QUIRKS, type Quirks, type RouteFamily } from '#core/quirks.ts'
import { CONVERSE_DIALECT } from '#dialect/bedrock-converse/provider-dialect.ts'
import { CHAT_FORMAT } from '#dialect/chat-completions/client-format.ts'
import { CHAT_DIALECT } from '#dialect/chat-completions/provider-dialect.ts'
import type { ClientDialect, CountEndpoint, EmbeddingDialect, Endpoint, ProviderDialect } from '#dialect/dialect.ts'
import type { EmbeddingProvider } from '#dialect/embedding.ts'
import { EMBEDDINGS_FORMAT } from '#dialect/embeddings/client-format.ts'
import { GEMINI_FORMAT } from '#dialect/gemini/client-format.ts'
import { GEMINI_EMBEDDINGS_FORMAT } from '#dialect/gemini-embeddings/client-format.ts'
import { GEMINI_DIALECT } from '#dialect/gemini/provider-dialect.ts'
import { MESSAGES_FORMAT } from '#dialect/messages/client-format.ts'
import { MESSAGES_DIALECT } from '#dialect/messages/provider-dialect.ts'
import { codexModels } from '#dialect/responses/codex-models.ts'
import type { Form, ModelList } from '#dialect/model-list.ts'
import type { PassedDialect } from '#dialect/passed-dialect.ts'
import { PASSED_ROUTES } from '#dialect/passed/routes.ts'
import { RESPONSES_FORMAT } from '#dialect/responses/client-format.ts'
import { RESPONSES_DIALECT } from '#dialect/responses/provider-dialect.ts'

/** What clients speak, by the names of `contract/dialects.ts`. */
export const CLIENT_DIALECTS = {
  chat: CHAT_FORMAT,
  messages: MESSAGES_FORMAT,
  responses: RESPONSES_FORMAT,
  gemini: GEMINI_FORMAT,
  embeddings: EMBEDDINGS_FORMAT,
  'gemini-embeddings': GEMINI_EMBEDDINGS_FORMAT,
  ...PASSED_ROUTES,
} as const satisfies Readonly<Record<FormatName, AnyFormat>>

/** What providers speak, by the names of `contract/dialects.ts`. */
const PROVIDER_DIALECTS: Readonly<Record<WireDialect, ProviderDialect>> = {
  'chat-completions': CHAT_DIALECT,
  messages: MESSAGES_DIALECT,
  responses: RESPONSES_DIALECT,
  gemini: GEMINI_DIALECT,
  'bedrock-converse': CONVERSE_DIALECT,
}

/** The formats that have turns, and are translated. */
export type ClientFormat = {
  [Name in FormatName]: (typeof CLIENT_DIALECTS)[Name] extends ClientDialect ? Name : never
}[FormatName]

export type AnyFormat = ClientDialect | EmbeddingDialect | PassedDialect

/** The formats with their names. */
export const ENDPOINTS = Object.entries(CLIENT_DIALECTS) as readonly (readonly [FormatName, AnyFormat])[]

const OPERATIONS_BY_KIND: Partial<Record<ModelKind, string>> = { embedding: 'embeddings' }

/** What a provider must have for models of a kind; undefined where its dialect says all. */
export function familyOf(kind: ModelKind): RouteFamily | undefined {
  const families = ENDPOINTS.filter(([, format]) => format.kind === kind).map(([, { family }]) => family)
  return families.includes(undefined) ? undefined : families[0]
}

/** What the clients of a format read around an answer. */
export function endpointOf(name: FormatName): Endpoint {
  return CLIENT_DIALECTS[name]
}

/** What the OpenTelemetry conventions call a call of a format. They let programs have words of their own for what they do not name. */
export function operationOf(name: string): string {
  const format: AnyFormat | undefined = ENDPOINTS.find(([known]) => known === name)?.[1]
  return format?.operation ?? OPERATIONS_BY_KIND[format?.kind ?? 'chat'] ?? format?.kind ?? 'chat'
}

/** Whether the clients of a format may send forms with files. */
export function takesForms(name: FormatName): boolean {
  const format: AnyFormat = CLIENT_DIALECTS[name]
  return format.family !== undefined && format.readForm !== undefined
}

/** The models as the file that Codex reads. */
export const codexCatalogue = codexModels

/** Where clients of a format have tokens counted; undefined where they cannot. */
export function countOf(format: AnyFormat): CountEndpoint | undefined {
  return format.family === undefined && format.kind === 'chat' ? format.count : undefined
}

/** The dialect in which a provider is asked. */
export function dialectOf({ dialect }: Pick<Provider, 'dialect'>): ProviderDialect {
  return PROVIDER_DIALECTS[wireDialect(dialect)]
}

/** The built-in provider answers conversations and embeddings alone. */
const DEMO_QUIRKS: Partial<Quirks> = { routes: [] }

/** All quirks of a provider: its own, its dialect's, or what holds for most. */
export function quirksOf(provider: Pick<Provider, 'dialect' | 'quirks'>): Quirks {
  const builtIn = isDemo(provider) ? DEMO_QUIRKS : undefined
  return { ...DEFAULT_QUIRKS, ...dialectOf(provider).quirks, ...builtIn, ...provider.quirks }
}

/** What of a client's headers a provider of the same dialect is handed. */
export function headersFor(
  name: FormatName,
  provider: Pick<Provider, 'dialect' | 'quirks'>,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return endpointOf(name).headersAt?.(headers, quirksOf(provider).platform) ?? headers
}

/** How a provider makes embeddings; undefined where it has none at the addresses of its dialect. */
export function embeddingsOf(provider: Pick<Provider, 'dialect' | 'quirks'>): EmbeddingProvider | undefined {
  return quirksOf(provider).platform === 'own' ? dialectOf(provider).embeddings : undefined
}

/** How a provider lists its models; undefined where it has no list behind its base URL. */
export function modelListOf(provider: Pick<Provider, 'dialect' | 'quirks'>): ModelList | undefined {
  return quirksOf(provider).platform === 'own' ? dialectOf(provider).modelList : undefined
}

/** Whose clients ask at a path, by how it begins. All others read errors as those of chat completions do. */
export function endpointAt(path: string): Endpoint {
  const isBelow = (start: string) => path.startsWith(start) && !/^\w/.test(path.slice(start.length))
  const found = ENDPOINTS.find(([, { paths }]) => paths.some(isBelow))
  return found?.[1] ?? CLIENT_DIALECTS.chat
}

/** The forms of lists and errors, those that everybody copied last. */
export const FORMS: readonly Form[] = [
  ...new Set(Object.values(PROVIDER_DIALECTS).map(({ form }) => form)),
].toReversed()
