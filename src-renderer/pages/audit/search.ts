import { textIn } from '#renderer/data/search.ts'

/** What the address of this page may say behind the question mark. */
export type AuditSearch = {
  readonly open?: string
  /** An action of the admin API. */
  readonly action?: string
  readonly actor?: string
}

/** What is undefined is taken out of the address. */
export type AuditSearchChange = { readonly [Name in keyof AuditSearch]?: AuditSearch[Name] | undefined }

export function parseSearch(raw: Readonly<Record<string, unknown>>): AuditSearch {
  return { ...textIn(raw, 'open'), ...textIn(raw, 'action'), ...textIn(raw, 'actor') }
}
