// Reads a page of a provider's list of models, in the words of its dialect. Lists are loose: what is missing or odd is left
// out, and an entry without a usable name is dropped.

import {
  kindByName,
  kindCalled,
  listedCount,
  type ListedModel,
  type ListedPrice,
  type ModelListPlace,
} from '#core/listed-model.ts'
import { dialectOf } from '#dialect/dialects.ts'
import { recordOf } from '#dialect/foreign-bodies.ts'
import { parseMeasured } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { argumentsOf, isLlamaCpp, isRouted } from '#provider/llama-cpp.ts'

/** Of a list altogether, and so of a page. */
export const MAX_MODELS = 5_000
const MAX_DISPLAY_NAME = 1_000
/** The name of the next page goes into an address. */
const MAX_NEXT = 2_000

export type ListPage = {
  readonly models: readonly ListedModel[]
  /** What to add to the query for the next page; undefined at the end. */
  readonly next: Readonly<Record<string, string>> | undefined
  /** Whether this is the list of a llama.cpp server that is no router: what one of its models is for, all are. */
  readonly isLlamaCpp: boolean
}

type Place = Pick<ModelListPlace, 'dialect' | 'tellsPrices'>
/** undefined for something that is no list of models. */
type ReadPage = ListPage | 'not-json' | undefined
/** Reads the text of a page; elsewhere where that takes long, and then it may be too large. */
export type ReadListText = (text: string, place: Place) => ReadPage | Promise<ReadPage | 'too-large'>

/** `text` was measured while it arrived. */
export function readListText(text: string, place: Place): ReadPage {
  const body = parseMeasured(text)
  return body === undefined ? 'not-json' : readListPage(body, place)
}

export function readListPage(body: unknown, place: Place): ListPage | undefined {
  const { modelList } = dialectOf(place)
  const readModel = modelList?.readModel ?? ((entry: JsonObject) => readUsualModel(entry, place.tellsPrices))
  const page = modelList?.readPage(body)
  if (page === undefined) return undefined
  const { entries, next } = page
  const isOne = entries.length > 0 && entries.every((entry) => isLlamaCpp(entry) && !isRouted(entry))
  const isSent = Object.values(next ?? {}).every((value) => value.length <= MAX_NEXT)
  const models = entries.map(readModel).filter((model) => isName(model.id))
  return { models: models.slice(0, MAX_MODELS).map(withShortName), next: isSent ? next : undefined, isLlamaCpp: isOne }
}

/** The text may have megabytes. Views cut the name further. */
function withShortName({ displayName, ...model }: ListedModel): ListedModel {
  return { ...model, displayName: displayName?.slice(0, MAX_DISPLAY_NAME) }
}

/** Most entries are alike; what goes beyond names is told by each provider under a name of its own. */
function readUsualModel(entry: JsonObject, tellsPrices: boolean): ListedModel {
  const top = recordOf(entry['top_provider'])
  const routed = argumentsOf(entry)
  const context =
    entry['context_length'] ?? // OpenRouter, Together, Fireworks, Moonshot
    entry['context_window'] ?? // Groq
    entry['max_context_length'] ?? // Mistral
    entry['max_model_len'] ?? // vLLM
    entry['max_input_tokens'] ?? // Anthropic
    recordOf(entry['meta'])['n_ctx'] ?? // llama.cpp
    routed.contextWindow
  const output =
    top['max_completion_tokens'] ?? // OpenRouter
    entry['max_completion_tokens'] ?? // Groq
    // Anthropic; elsewhere the name stands for other things.
    (entry['max_input_tokens'] === undefined ? undefined : entry['max_tokens'])
  return {
    id: textOf(entry['id']) ?? '',
    displayName: textOf(entry['display_name']) ?? textOf(entry['name']),
    kind: kindOf(entry) ?? routed.kind,
    contextWindow: listedCount(context),
    maxOutputTokens: listedCount(output),
    price: tellsPrices ? priceOf(recordOf(entry['pricing'])) : undefined,
  }
}

const CHAT_TYPES = ['language', 'code', 'llm', 'vlm']
const OTHER_TYPES = ['video', 'audio', 'transcribe']

/** Together tells a type, Mistral capabilities; what the name says of it is a guess, and made elsewhere. */
function kindOf(entry: JsonObject): ListedModel['kind'] {
  const type = textOf(entry['type'])
  const kind = kindCalled(type)
  if (kind !== undefined) return kind
  if (type !== undefined && CHAT_TYPES.includes(type)) return 'chat'
  if (type !== undefined && OTHER_TYPES.includes(type)) return 'other'
  const isChat = recordOf(entry['capabilities'])['completion_chat']
  if (isChat === true) return 'chat'
  return isChat === false && kindByName(textOf(entry['id']) ?? '') === 'chat' ? 'other' : undefined
}

/** OpenRouter's prices: USD per token, as decimal texts. A negative one stands for a price that depends on the request. */
function priceOf(pricing: JsonObject): ListedPrice | undefined {
  const input = perMillion(pricing['prompt'])
  const output = perMillion(pricing['completion'])
  if (input === undefined || output === undefined) return undefined
  const cacheRead = perMillion(pricing['input_cache_read'])
  const cacheWrite = perMillion(pricing['input_cache_write'])
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  }
}

const MICRO = 1_000_000

/** With six decimals, which is as fine as prices are kept; rounded up, so that a tiny price is never none. */
function perMillion(text: unknown): number | undefined {
  if (typeof text !== 'string' || !/^\d+(\.\d+)?(e-?\d+)?$/i.test(text)) return undefined
  const micro = Number(text) * MICRO * MICRO
  // Doubles leave a speck behind what was meant as a whole number of micro-credits.
  const whole = Math.abs(micro - Math.round(micro)) < 1e-3 ? Math.round(micro) : Math.ceil(micro)
  return Number.isSafeInteger(whole) ? whole / MICRO : undefined
}

function isName(text: string): boolean {
  return text.length <= 200 && /^[\u0021-\u007e]+$/.test(text)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
