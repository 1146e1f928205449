// The list of models and the errors as Anthropic tells them.

import type { Form, ModelEntries } from '#dialect/model-list.ts'
import { entriesOf, errorBodyOf, hasId, recordOf } from '#dialect/foreign-bodies.ts'

/** As many as a page may have. */
export const PAGE_QUERY = { limit: '1000' }

export function readListPage(body: unknown): ModelEntries | undefined {
  const entries = entriesOf(body)
  if (entries === undefined) return undefined
  const { has_more: hasMore, last_id: last } = recordOf(body)
  const isNext = hasMore === true && typeof last === 'string' && last !== ''
  return { entries: entries.map(recordOf), next: isNext ? { after_id: last } : undefined }
}

export const MESSAGES_FORM: Form = {
  dialect: 'messages',
  isList: (body) => {
    const { data, object, has_more: hasMore } = recordOf(body)
    if (!Array.isArray(data) || !data.every(hasId) || object === 'list') return false
    return hasMore !== undefined || recordOf(data[0])['type'] === 'model'
  },
  isError: (body) => {
    const { type, error } = errorBodyOf(body)
    const { type: kind, message } = recordOf(error)
    return type === 'error' && typeof kind === 'string' && typeof message === 'string'
  },
  isProof: () => true,
}
