// A secret as a form takes it: one text, a key file, or the parts of an application, which are kept as one text like every other.

import type { Preset } from '#contract/presets.ts'

export type SecretKind = NonNullable<Preset['secret_kinds']>[number]

const TEXT_ONLY: readonly SecretKind[] = ['text']
export const ALL_KINDS: readonly SecretKind[] = ['text', 'service_account', 'entra_client']

/** What the secret of a provider of this preset may be, the usual kind first. */
export function secretKindsOf({ secret_kinds }: Pick<Preset, 'secret_kinds'>): readonly SecretKind[] {
  return secret_kinds ?? TEXT_ONLY
}

export const ENTRA_PARTS = ['tenant_id', 'client_id', 'client_secret'] as const
export type EntraParts = Readonly<Record<(typeof ENTRA_PARTS)[number], string>>
export const NO_PARTS: EntraParts = { tenant_id: '', client_id: '', client_secret: '' }

/** The one text; empty while a part is missing. */
export function entraSecret(parts: EntraParts): string {
  const given = ENTRA_PARTS.map((name) => [name, parts[name].trim()] as const)
  if (given.some(([, value]) => value === '')) return ''
  return JSON.stringify({ type: 'entra_client', ...Object.fromEntries(given) })
}
