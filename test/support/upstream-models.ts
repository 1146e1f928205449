// Lists of models as providers answer them, page by page, for the scripted provider. Written from the providers' own
// documentation of these endpoints, with members that a reader has no use for.

import type { Behaviour } from './upstream-behaviour.ts'
import type { RecordedRequest, Script } from './upstream.ts'

/** OpenAI and most others: names, and nothing else. */
export function plainList(...ids: readonly string[]): Script {
  return listing({
    object: 'list',
    data: ids.map((id) => ({ id, object: 'model', created: 1_760_000_000, owned_by: 'system' })),
  })
}

/** Any body, for lists of a form of their own. */
export function listing(body: unknown): Script {
  return (request) => (isList(request) ? json(body) : { type: 'answer' })
}

/** Anthropic: pages by `after_id`, here of two models. */
export function anthropicList(...ids: readonly string[]): Script {
  return (request) => {
    if (!isList(request)) return { type: 'answer' }
    const after = queryOf(request).get('after_id')
    const start = after === null ? 0 : ids.indexOf(after) + 1
    const page = ids.slice(start, start + 2)
    const data = page.map((id) => ({
      type: 'model',
      id,
      display_name: id.replaceAll('-', ' '),
      created_at: '2026-09-22T00:00:00Z',
      max_input_tokens: 1_000_000,
      max_tokens: 128_000,
    }))
    const ends = { first_id: page[0] ?? null, last_id: page.at(-1) ?? null }
    return json({ data, has_more: start + 2 < ids.length, ...ends })
  }
}

/** Gemini: pages by `pageToken`, here of two models, names with their collection before them. */
export function geminiList(...ids: readonly string[]): Script {
  return (request) => {
    if (!isList(request)) return { type: 'answer' }
    const start = Number(queryOf(request).get('pageToken') ?? 0)
    const models = ids.slice(start, start + 2).map((id) => ({
      name: `models/${id}`,
      version: '001',
      displayName: id.toUpperCase(),
      inputTokenLimit: id.includes('embedding') ? 2048 : 1_048_576,
      outputTokenLimit: id.includes('embedding') ? 1 : 65_536,
      supportedGenerationMethods: methodsOf(id),
    }))
    return json({ models, ...(start + 2 < ids.length ? { nextPageToken: String(start + 2) } : {}) })
  }
}

function methodsOf(id: string): string[] {
  if (id.includes('embedding')) return ['embedContent', 'countTextTokens']
  return id.includes('imagen') ? ['predict'] : ['generateContent', 'countTokens']
}

/** OpenRouter: limits, and prices per token as texts. */
export function openRouterModel(id: string, pricing: Readonly<Record<string, string>>): object {
  return {
    id,
    canonical_slug: id,
    name: `Vendor: ${id}`,
    created: 1_760_000_000,
    context_length: 400_000,
    architecture: { modality: 'text->text', input_modalities: ['text'], output_modalities: ['text'] },
    pricing: { request: '0', image: '0', ...pricing },
    top_provider: { context_length: 400_000, max_completion_tokens: 64_000, is_moderated: false },
  }
}

function isList({ method, path }: RecordedRequest): boolean {
  return method === 'GET' && /\/models(\?|$)/.test(path)
}

function queryOf({ path }: RecordedRequest): URLSearchParams {
  return new URL(path, 'http://upstream').searchParams
}

function json(body: unknown): Behaviour {
  return { type: 'status', status: 200, body }
}
