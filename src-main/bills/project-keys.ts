// The keys in a project or workspace of a provider: whether Farebox has it for itself, so that nobody else is in its bill.
//
// Sources: `GET /v1/organization/projects/{project_id}/api_keys` in OpenAI's reference of its administration, and
// platform.claude.com/docs/en/api/admin/api_keys/list; both read on 2026-11-27.

import type { BillKind } from '#core/bill-secret.ts'
import { membersOf } from '#core/members.ts'

type KeysInterface = {
  readonly question: (project: string) => {
    readonly path: string
    readonly query: readonly (readonly [string, string])[]
  }
  /** The field that has the beginning and the end of a key. */
  readonly hint: string
  /** What such a thing is called there. */
  readonly name: string
}

/** As many as both providers give at a time: whoever has more has not one for Farebox alone. */
const MAX_KEYS = '100'

/** Of those that have projects. */
export const PROJECT_KEYS: Readonly<Partial<Record<BillKind, KeysInterface>>> = {
  openai: {
    question: (project) => ({
      path: `/v1/organization/projects/${encodeURIComponent(project)}/api_keys`,
      query: [['limit', MAX_KEYS]],
    }),
    hint: 'redacted_value',
    name: 'project',
  },
  anthropic: {
    question: (project) => ({
      path: '/v1/organizations/api_keys',
      query: [
        ['workspace_id', project],
        ['status', 'active'],
        ['limit', MAX_KEYS],
      ],
    }),
    hint: 'partial_key_hint',
    name: 'workspace',
  },
}

type ProjectKey = { readonly id: string; readonly name: string; readonly hint: string | undefined }
export type ProjectKeys = { readonly keys: readonly ProjectKey[]; readonly hasMore: boolean }

/** undefined for what is no such list. */
export function projectKeysIn(page: unknown, hintField: string): ProjectKeys | undefined {
  const { data, has_more: hasMore } = membersOf(page)
  if (!Array.isArray(data)) return undefined
  const keys: ProjectKey[] = []
  for (const one of data) {
    const { id, name, [hintField]: hint } = membersOf(one)
    if (typeof id !== 'string') return undefined
    keys.push({ id, name: textOf(name) ?? id, hint: textOf(hint) })
  }
  return { keys, hasMore: hasMore === true }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A shorter end says too little. */
const MIN_END = 3

/** Whether a hint such as `sk-proj-ab...xyz` is of one of these secrets; undefined where it does not say enough. */
export function isHintOf(hint: string | undefined, secrets: readonly string[]): boolean | undefined {
  const [beginning = '', end = ''] = hint?.split(/(?:\.{2,}|\*+|…+)+/) ?? []
  if (end.length < MIN_END || secrets.length === 0) return undefined
  return secrets.some(
    (secret) => secret.length > beginning.length + end.length && secret.startsWith(beginning) && secret.endsWith(end),
  )
}
