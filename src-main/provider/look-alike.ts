// Which dialect an answer looks like, by the members that its lists and errors have. Texts are not looked at.

import { judgementIn } from '#core/judgements.ts'
import type { ProviderDialect } from '#core/provider-dialect.ts'
import { jsonOf, membersOf, type Answer } from '#provider/ask.ts'

/** Responses and chat completions have one list and one form of errors, so the older name stands for both. */
export type LookAlike = 'chat-completions' | 'messages' | 'gemini'

/** The dialect whose list of models this is; undefined for anything else. */
export function listLooksLike(value: unknown): LookAlike | undefined {
  // Some providers send the bare list.
  if (Array.isArray(value)) return value.every(hasId) && value.length > 0 ? 'chat-completions' : undefined
  const { data, models, has_more: hasMore, object } = membersOf(value)
  if (Array.isArray(data)) {
    if (!data.every(hasId)) return undefined
    if (object === 'list') return 'chat-completions'
    return hasMore !== undefined || membersOf(data[0])['type'] === 'model' ? 'messages' : 'chat-completions'
  }
  const isGemini = Array.isArray(models) && models.every((entry) => isGeminiName(membersOf(entry)['name']))
  return isGemini ? 'gemini' : undefined
}

/** The dialect in whose form this is an error; undefined for anything else. */
export function errorLooksLike(value: unknown): LookAlike | undefined {
  // Google sends a list of one from some of its addresses.
  const { type, error } = membersOf(Array.isArray(value) ? value[0] : value)
  const members = membersOf(error)
  if (typeof members['message'] !== 'string') return undefined
  if (type === 'error' && typeof members['type'] === 'string') return 'messages'
  if (typeof members['code'] === 'number' && /^[A-Z_]+$/.test(String(members['status']))) return 'gemini'
  return typeof members['type'] === 'string' || members['code'] !== undefined ? 'chat-completions' : undefined
}

/** Whether an error says that the secret is wrong. Google says so with status 400, and the reason in the details; others in words. */
export function refusesSecret({ status, text }: Pick<Answer, 'status' | 'text'>): boolean {
  if (status === 401 || status === 403) return true
  if (status !== 400) return false
  const value = jsonOf({ text })
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
  return isHtml(answer) && /<input\b[^>]*\btype\s*=\s*["']?password/i.test(answer.text)
}

/** Whether a provider that is set up with one dialect showed another one. */
export function isForeign(seen: LookAlike | undefined, dialect: ProviderDialect): boolean {
  return seen !== undefined && seen !== (dialect === 'responses' ? 'chat-completions' : dialect)
}

function isGeminiName(name: unknown): boolean {
  return typeof name === 'string' && name.startsWith('models/')
}

function hasId(entry: unknown): boolean {
  return typeof membersOf(entry)['id'] === 'string'
}
