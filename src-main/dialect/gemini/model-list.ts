// The list of models and the errors as the Gemini API tells them.

import { listedCount, type ListedModel } from '#core/listed-model.ts'
import type { Form, ModelEntries } from '#dialect/model-list.ts'
import { recordOf } from '#dialect/foreign-bodies.ts'
import { geminiErrorOf } from '#dialect/gemini/errors.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** As many as a page may have. */
export const PAGE_QUERY = { pageSize: '1000' }

/** An empty list is left out. */
export function readListPage(body: unknown): ModelEntries | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const { models, nextPageToken: token } = recordOf(body)
  if (!Array.isArray(models)) return { entries: [], next: undefined }
  const isNext = typeof token === 'string' && token !== ''
  return { entries: models.map(recordOf), next: isNext ? { pageToken: token } : undefined }
}

export function readListedModel(entry: JsonObject): ListedModel {
  const { name, displayName, supportedGenerationMethods: methods } = entry
  return {
    id: typeof name === 'string' ? name.replace(/^models\//, '') : '',
    displayName: typeof displayName === 'string' && displayName !== '' ? displayName : undefined,
    kind: Array.isArray(methods) ? kindOf(methods) : undefined,
    contextWindow: listedCount(entry['inputTokenLimit']),
    maxOutputTokens: listedCount(entry['outputTokenLimit']),
    price: undefined,
  }
}

function kindOf(methods: readonly unknown[]): ListedModel['kind'] {
  if (methods.includes('generateContent')) return 'chat'
  return methods.includes('embedContent') ? 'embedding' : 'other'
}

export const GEMINI_FORM: Form = {
  dialect: 'gemini',
  isList: (body) => isRecord(body) && !Array.isArray(body['data']) && isListOfModels(body['models']),
  isError: (body) => {
    const { code, status, message } = geminiErrorOf(body) ?? {}
    return typeof message === 'string' && typeof code === 'number' && /^[A-Z_]+$/.test(String(status))
  },
  // Google uses its own errors for chat completions too.
  isProof: (baseUrl) => !baseUrl.endsWith('/openai'),
}

function isListOfModels(models: unknown): boolean {
  return Array.isArray(models) && models.every((entry) => isRecord(entry) && isName(entry['name']))
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && name.startsWith('models/')
}
