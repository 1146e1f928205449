// Which dialect an answer looks like, by the form of its lists and errors, and what else a strange answer shows.

import type { Provider } from '#core/entities.ts'
import { judgementIn } from '#core/judgements.ts'
import type { Form } from '#dialect/model-list.ts'
import { dialectOf, FORMS } from '#dialect/dialects.ts'
import { membersOf } from '#core/members.ts'
import { jsonOf, type Answer } from '#provider/ask.ts'

/** The form of a list of models; undefined for anything else. */
export function listLooksLike(value: unknown): Form | undefined {
  return FORMS.find((form) => form.isList(value))
}

/** The form of an error; undefined for anything else. */
export function errorLooksLike(value: unknown): Form | undefined {
  return FORMS.find((form) => form.isError(value))
}

/** Whether an error says that the secret is wrong. Google says so with status 400, and the reason in the details; others in words. */
export function refusesSecret(answer: Answer): boolean {
  const { status } = answer
  if (status === 401 || status === 403) return true
  if (status !== 400) return false
  const value = jsonOf(answer)
  const { error, message } = membersOf(Array.isArray(value) ? value[0] : value)
  const { details, message: words = error ?? message } = membersOf(error)
  if (typeof words === 'string' && judgementIn(words)?.about === 'secret') return true
  return Array.isArray(details) && details.some((detail) => membersOf(detail)['reason'] === 'API_KEY_INVALID')
}

/** Whether an error with a status that says nothing of secrets speaks of them, in words that nobody knows. */
export function speaksOfSecret({ status, text }: Pick<Answer, 'status' | 'text'>): boolean {
  if (status !== 400 && status !== 422 && status !== 500) return false
  return /\b(?:(?:api|virtual|access|master|bearer)[ _-]?(?:key|token)s?|unauthori[sz]ed|unauthenticated|authentication|credentials?)\b/i.test(
    text.slice(0, 4000),
  )
}

/** Some servers answer 200 at paths that they do not know, with an error in the body. */
export function isErrorInDisguise(value: unknown): boolean {
  return membersOf(value)['error'] !== undefined
}

export function isHtml({ headers, text }: Answer): boolean {
  return /^text\/html\b/i.test(headers['content-type'] ?? '') || /^\s*<(!doctype|html)\b/i.test(text)
}

/** A page that asks for a password, as hotel networks and company proxies show it instead of what was asked for. */
export function isLoginPage(answer: Answer): boolean {
  return isHtml(answer) && /<input\b[^<>]*\btype\s*=\s*["']?password/i.test(answer.text)
}

/** Whether a provider that is set up with one dialect showed the form of another one. */
export function isForeign(seen: Form | undefined, provider: Pick<Provider, 'dialect'>): boolean {
  return seen !== undefined && seen !== dialectOf(provider).form
}
