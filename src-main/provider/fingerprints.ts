// How each local server is told from whatever else may listen on its port, and what it says about its models. The facts are
// those of the servers' documentation and sources: Ollama's docs/api.md, LM Studio's REST API (v0 and v1), the README of
// llama.cpp's server, and vLLM's OpenAI-compatible server.

import { append } from '#core/append.ts'
import type { ModelKind } from '#core/entities.ts'
import { kindByName } from '#core/listed-model.ts'
import type { LocalModel, LocalServer, LocalServerId } from '#core/local-servers.ts'
import { membersOf } from '#core/members.ts'
import { jsonOf, type Answer } from '#provider/ask.ts'
import { argumentsOf, isLlamaCpp, isRouted, kindByEmptyEmbeddings } from '#provider/llama-cpp.ts'

export type Get = (path: string) => Promise<Answer | undefined>
/** A question that may be asked once a server is known, so that it may take longer than the first ones. */
export type Detail = (path: string, body: object) => Promise<Answer | undefined>
export type Found = Pick<LocalServer, 'state' | 'version' | 'models'>
export type Recognise = (get: Get, detail: Detail) => Promise<Found | undefined>

/** What nobody would list on purpose; a server that does is not believed any further. */
const MAX_MODELS = 500
const DETAILS_AT_ONCE = 8

export const FINGERPRINTS: Readonly<Record<LocalServerId, Recognise>> = {
  ollama: recogniseOllama,
  'lm-studio': recogniseLmStudio,
  'llama-cpp': recogniseLlamaCpp,
  vllm: recogniseVllm,
}

async function recogniseOllama(get: Get, detail: Detail): Promise<Found | undefined> {
  const [versionAnswer, tags] = await Promise.all([get('/api/version'), get('/api/tags')])
  const version = textIn(bodyOf(versionAnswer), 'version')
  const listed = listIn(bodyOf(tags), 'models')
  if (version === undefined || listed === undefined) return undefined
  // A model that only passes requests on to a remote service is not on this machine, and may cost something.
  const names = listed.flatMap((entry) => (entry['remote_host'] === undefined ? (textIn(entry, 'name') ?? []) : []))
  const models: LocalModel[] = []
  for (let start = 0; start < names.length; start += DETAILS_AT_ONCE) {
    const some = names.slice(start, start + DETAILS_AT_ONCE)
    append(models, await Promise.all(some.map((name) => showOllamaModel(name, detail))))
  }
  return { state: 'found', version, models }
}

async function showOllamaModel(name: string, detail: Detail): Promise<LocalModel> {
  const shown = bodyOf(await detail('/api/show', { model: name }))
  const info = Object.entries(membersOf(shown['model_info']))
  const trained = sizeOf(info.find(([key]) => key.endsWith('.context_length'))?.[1])
  // A model file can say that less is loaded than the model was made for, and then the rest of a prompt is cut off.
  const parameters: unknown = shown['parameters']
  const numCtx = typeof parameters === 'string' ? /^num_ctx\s+(\d+)\s*$/m.exec(parameters)?.[1] : undefined
  const loaded = sizeOf(Number(numCtx))
  const capabilities: unknown = shown['capabilities']
  const isEmbedding =
    Array.isArray(capabilities) && capabilities.includes('embedding') && !capabilities.includes('completion')
  const told = Array.isArray(capabilities) ? (isEmbedding ? 'embedding' : 'chat') : undefined
  const contextWindow = loaded !== undefined && trained !== undefined ? Math.min(loaded, trained) : (loaded ?? trained)
  return localModel(name, told, contextWindow)
}

async function recogniseLmStudio(get: Get): Promise<Found | undefined> {
  const [first, second] = await Promise.all([get('/api/v0/models'), get('/api/v1/models')])
  const body = bodyOf(first)
  const older = body['object'] === 'list' ? listIn(body, 'data') : undefined
  if (older !== undefined) return lmStudio(older.flatMap(modelOfLmStudio))
  const newer = listIn(bodyOf(second), 'models')
  const isNewer = newer?.every(
    (entry) => textIn(entry, 'key') !== undefined && Array.isArray(entry['loaded_instances']),
  )
  if (newer !== undefined && isNewer === true) return lmStudio(newer.flatMap(modelOfNewerLmStudio))
  return isLockedLmStudio(first) || isLockedLmStudio(second)
    ? { state: 'needs-key', version: undefined, models: [] }
    : undefined
}

function lmStudio(models: readonly LocalModel[]): Found {
  return { state: 'found', version: undefined, models }
}

/** Its own words for a request without a token, at a path that only it has. */
function isLockedLmStudio(answer: Answer | undefined): boolean {
  if (answer?.status !== 401) return false
  const { type, code } = membersOf(membersOf(jsonOf(answer))['error'])
  return code === 'invalid_api_key' && typeof type === 'string'
}

function modelOfLmStudio(entry: Members): LocalModel[] {
  const name = textIn(entry, 'id')
  if (name === undefined) return []
  const contextWindow = sizeOf(entry['loaded_context_length']) ?? sizeOf(entry['max_context_length'])
  return [localModel(name, kindOfType(entry), contextWindow)]
}

function modelOfNewerLmStudio(entry: Members): LocalModel[] {
  const name = textIn(entry, 'key')
  if (name === undefined) return []
  const [instance] = listIn(entry, 'loaded_instances') ?? []
  const loaded = sizeOf(membersOf(instance?.['config'])['context_length'])
  const contextWindow = loaded ?? sizeOf(entry['max_context_length'])
  return [localModel(name, kindOfType(entry), contextWindow)]
}

/** Its two APIs name the type of a model for embeddings differently. */
function kindOfType(entry: Members): ModelKind | undefined {
  const type = textIn(entry, 'type')
  if (type === undefined) return undefined
  return type === 'embeddings' || type === 'embedding' ? 'embedding' : 'chat'
}

async function recogniseLlamaCpp(get: Get, detail: Detail): Promise<Found | undefined> {
  const [propsAnswer, list] = await Promise.all([get('/props'), get('/v1/models')])
  const props = bodyOf(propsAnswer)
  const listed = listIn(bodyOf(list), 'data')
  const settings = membersOf(props['default_generation_settings'])
  const isProps = typeof props['build_info'] === 'string' && props['default_generation_settings'] !== undefined
  const isList = listed?.some(isLlamaCpp) ?? false
  if (!isProps && !isList) return undefined
  const isRouter = listed?.some(isRouted) ?? false
  const answered = isRouter ? undefined : await detail('/v1/embeddings', {})
  const ofServer = kindByEmptyEmbeddings(answered?.status)
  // What one request may use, which is less than what is loaded where several are served at a time.
  const served = sizeOf(settings['n_ctx']) ?? sizeOf(props['n_ctx'])
  const models = (listed ?? []).flatMap((entry): LocalModel[] => {
    const name = textIn(entry, 'id')
    const meta = membersOf(entry['meta'])
    const started = argumentsOf(entry)
    const ofOnly = listed?.length === 1 ? served : undefined
    const contextWindow = sizeOf(meta['n_ctx']) ?? ofOnly ?? started.contextWindow ?? sizeOf(meta['n_ctx_train'])
    return name === undefined ? [] : [localModel(name, ofServer ?? started.kind, contextWindow)]
  })
  const isLocked = propsAnswer?.status === 401 || list?.status === 401
  return { state: isLocked ? 'needs-key' : 'found', version: textIn(props, 'build_info'), models }
}

async function recogniseVllm(get: Get): Promise<Found | undefined> {
  const [versionAnswer, list] = await Promise.all([get('/version'), get('/v1/models')])
  const version = textIn(bodyOf(versionAnswer), 'version')
  // With a key only what is below /v1 is locked, and its refusal has a form of its own.
  const isLocked = list?.status === 401 && membersOf(jsonOf(list))['error'] === 'Unauthorized'
  if (version !== undefined && isLocked) return { state: 'needs-key', version, models: [] }
  const listed = listIn(bodyOf(list), 'data')
  if (listed === undefined || !listed.some((entry) => entry['owned_by'] === 'vllm')) return undefined
  const sizes = new Map(listed.map((entry) => [entry['id'], sizeOf(entry['max_model_len'])]))
  const models = listed.flatMap((entry): LocalModel[] => {
    const name = textIn(entry, 'id')
    // An adapter has no size of its own, but that of the model that it stands on.
    const contextWindow = sizeOf(entry['max_model_len']) ?? sizes.get(entry['parent'])
    return name === undefined ? [] : [localModel(name, undefined, contextWindow)]
  })
  return { state: 'found', version, models }
}

type Members = Readonly<Record<string, unknown>>

/** The members of a good answer; none of any other. */
function bodyOf(answer: Answer | undefined): Members {
  return answer?.status === 200 ? membersOf(jsonOf(answer)) : {}
}

function textIn(members: Members, name: string): string | undefined {
  const value = members[name]
  // What is longer or has control characters is no name or version, and would only be shown.
  return typeof value === 'string' && /^\P{Cc}{1,200}$/u.test(value) ? value : undefined
}

function listIn(members: Members, name: string): Members[] | undefined {
  const value = members[name]
  return Array.isArray(value) ? value.slice(0, MAX_MODELS).map(membersOf) : undefined
}

function sizeOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= 1e9 ? value : undefined
}

/** `told` is undefined for servers that do not say what a model is for. */
function localModel(name: string, told: ModelKind | undefined, contextWindow: number | undefined): LocalModel {
  return { name, kind: told ?? kindByName(name), isKindGuessed: told === undefined, contextWindow }
}
