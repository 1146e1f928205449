import { useTranslation } from 'react-i18next'
import { Badge, type Tone } from '#renderer/components/badge.tsx'
import type { EntryKind } from '#renderer/data/ledger-list.ts'

const TONES = {
  grant: 'live',
  adjustment: 'low',
  hold: 'calm',
  settle: 'calm',
  release: 'calm',
  lapse: 'calm',
} as const satisfies Record<EntryKind, Tone>

/** What an entry is; what that means is said on hover. */
export function EntryKindBadge({ kind }: { readonly kind: EntryKind }) {
  const { t } = useTranslation('ledger')
  return (
    <span title={t(`kindText.${kind}`)} className="cursor-help">
      <Badge tone={TONES[kind]}>{t(`kind.${kind}`)}</Badge>
    </span>
  )
}
