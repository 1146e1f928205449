// Reads a page of a provider's list of models, in the words of its dialect. Lists are loose: what is missing or odd is left
// out, and an entry without a usable name is dropped.

import type { ListedModel, ListedPrice, ModelListPlace } from '#core/listed-model.ts'

type Fields = Readonly<Record<string, unknown>>

export type ListPage = {
  readonly models: readonly ListedModel[]
  /** What to add to the query for the next page; undefined at the end. */
  readonly next: Readonly<Record<string, string>> | undefined
}

/** undefined for something that is no list of models. */
export function readListPage(
  body: unknown,
  place: Pick<ModelListPlace, 'dialect' | 'tellsPrices'>,
): ListPage | undefined {
  // Together answers with the bare list.
  const fields = Array.isArray(body) ? { data: body as unknown } : fieldsOf(body)
  const entries = place.dialect === 'gemini' ? fields['models'] : fields['data']
  // Gemini leaves out an empty list.
  if (!Array.isArray(entries))
    return place.dialect === 'gemini' && isObject(body) ? { models: [], next: undefined } : undefined
  const read = entries.map(fieldsOf).map((entry) => {
    if (place.dialect === 'gemini') return readGeminiModel(entry)
    return readModel(entry, place.tellsPrices)
  })
  return { models: read.filter((model) => isName(model.id)), next: nextOf(fields, place.dialect) }
}

function nextOf(fields: Fields, dialect: ModelListPlace['dialect']): ListPage['next'] {
  if (dialect === 'gemini') {
    const token = textOf(fields['nextPageToken'])
    return token === undefined ? undefined : { pageToken: token }
  }
  const last = textOf(fields['last_id'])
  return dialect === 'messages' && fields['has_more'] === true && last !== undefined ? { after_id: last } : undefined
}

function readGeminiModel(entry: Fields): ListedModel {
  const methods = entry['supportedGenerationMethods']
  return {
    id: (textOf(entry['name']) ?? '').replace(/^models\//, ''),
    displayName: textOf(entry['displayName']),
    kind: Array.isArray(methods) ? geminiKind(methods) : undefined,
    contextWindow: countOf(entry['inputTokenLimit']),
    maxOutputTokens: countOf(entry['outputTokenLimit']),
    price: undefined,
  }
}

function geminiKind(methods: readonly unknown[]): ListedModel['kind'] {
  if (methods.includes('generateContent')) return 'chat'
  return methods.includes('embedContent') ? 'embedding' : 'other'
}

/** The lists of all other dialects are alike; what goes beyond names is told by each provider under a name of its own. */
function readModel(entry: Fields, tellsPrices: boolean): ListedModel {
  const top = fieldsOf(entry['top_provider'])
  const context =
    entry['context_length'] ?? // OpenRouter, Together, Fireworks, Moonshot
    entry['context_window'] ?? // Groq
    entry['max_context_length'] ?? // Mistral
    entry['max_model_len'] ?? // vLLM
    entry['max_input_tokens'] ?? // Anthropic
    fieldsOf(entry['meta'])['n_ctx'] // llama.cpp
  const output =
    top['max_completion_tokens'] ?? // OpenRouter
    entry['max_completion_tokens'] ?? // Groq
    // Anthropic; elsewhere the name stands for other things.
    (entry['max_input_tokens'] === undefined ? undefined : entry['max_tokens'])
  return {
    id: textOf(entry['id']) ?? '',
    displayName: textOf(entry['display_name']) ?? textOf(entry['name']),
    kind: kindOf(entry),
    contextWindow: countOf(context),
    maxOutputTokens: countOf(output),
    price: tellsPrices ? priceOf(fieldsOf(entry['pricing'])) : undefined,
  }
}

/** Together tells a type, Mistral capabilities; otherwise only a name that says so is taken for embeddings. */
function kindOf(entry: Fields): ListedModel['kind'] {
  const type = entry['type']
  if (type === 'embedding') return 'embedding'
  if (type === 'image' || type === 'video' || type === 'audio' || type === 'transcribe' || type === 'rerank')
    return 'other'
  if (/embed/i.test(textOf(entry['id']) ?? '')) return 'embedding'
  if (fieldsOf(entry['capabilities'])['completion_chat'] === false) return 'other'
  return undefined
}

/** OpenRouter's prices: USD per token, as decimal texts. A negative one stands for a price that depends on the request. */
function priceOf(pricing: Fields): ListedPrice | undefined {
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

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 1_000_000_000
    ? value
    : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? { ...value } : {}
}
