// The headers of a provider as its form has them. A value that is kept as a secret is never shown: its row is empty until a new one is
// typed.

import type { ProviderEdit, ProviderView } from '#contract/providers.ts'

export type HeaderRow = {
  readonly name: string
  readonly value: string
  readonly isSecret: boolean
  /** Whether it has a value that is kept as a secret. */
  readonly isKept: boolean
}

export const EMPTY_HEADER: HeaderRow = { name: '', value: '', isSecret: false, isKept: false }
export const MAX_HEADERS = 16

export function headerRowsOf({
  headers,
  header_secrets,
}: Pick<ProviderView, 'headers' | 'header_secrets'>): HeaderRow[] {
  return [
    ...Object.entries(headers).map(([name, value]) => ({ name, value, isSecret: false, isKept: false })),
    ...header_secrets.map((name) => ({ name, value: '', isSecret: true, isKept: true })),
  ]
}

/** What was changed; undefined while something is missing. What a name or value may be is for the server to say. */
export function headersBody(
  rows: readonly HeaderRow[],
  { header_secrets }: Pick<ProviderView, 'header_secrets'>,
): Pick<ProviderEdit, 'headers' | 'header_secrets'> | undefined {
  const given = rows
    .map((row) => ({ ...row, name: row.name.trim().toLowerCase(), value: row.value.trim() }))
    .filter(({ name, value }) => name !== '' || value !== '')
  const isHalf = given.some(({ name, value, isKept }) => name === '' || (value === '' && !isKept))
  if (isHalf || new Set(given.map(({ name }) => name)).size < given.length) return undefined
  const plain = given.filter(({ isSecret }) => !isSecret)
  const secret = given.filter(({ isSecret }) => isSecret)
  const gone = header_secrets.filter((name) => !secret.some((row) => row.name === name))
  const changes = [
    ...gone.map((name) => [name, null] as const),
    ...secret.filter(({ value }) => value !== '').map(({ name, value }) => [name, value] as const),
  ]
  const headers = Object.fromEntries(plain.map(({ name, value }) => [name, value]))
  return changes.length === 0 ? { headers } : { headers, header_secrets: Object.fromEntries(changes) }
}
