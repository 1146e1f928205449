// The list of models and the errors as OpenAI made them up and most others copied them.

import type { Form, ModelEntries } from '#dialect/model-list.ts'
import { entriesOf, errorBodyOf, hasId, recordOf } from '#dialect/foreign-bodies.ts'

/** A page of the list. No provider has a second one. */
export function readListPage(body: unknown): ModelEntries | undefined {
  const entries = entriesOf(body)
  return entries === undefined ? undefined : { entries: entries.map(recordOf), next: undefined }
}

/** The form that many have, so that it is what is left where no other one is seen. */
export const CHAT_FORM: Form = {
  dialect: 'chat-completions',
  isList: (body) => {
    const entries = entriesOf(body)
    // A bare list without an entry is a list of anything.
    const isAny = Array.isArray(body) && body.length === 0
    return entries !== undefined && !isAny && entries.every(hasId)
  },
  isError: (body) => {
    const { type, code, message } = recordOf(errorBodyOf(body)['error'])
    return typeof message === 'string' && (typeof type === 'string' || code !== undefined)
  },
}
