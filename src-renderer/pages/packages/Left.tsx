// What the keys of a package have left. Each has credits of its own, so that nothing is added up.

import { useTranslation } from 'react-i18next'
import type { KeyView, PackageView } from '#contract/schemas.ts'
import { byUrgency } from '#contract/urgency.ts'
import { Money } from '#renderer/components/money.tsx'
import { Outlook } from '#renderer/components/outlook.tsx'

type LeftProps = { readonly entity: PackageView; readonly keys: readonly KeyView[] | undefined }

const MAX_SHOWN = 5

/** The key that somebody should look at first. */
export function LeastLeft({ entity, keys }: LeftProps) {
  const [first] = keysIn(entity, keys)
  return first === undefined ? <span className="text-muted">–</span> : <KeyLeft item={first} />
}

export function LeftList({ entity, keys }: LeftProps) {
  const { t } = useTranslation('packages')
  const found = keysIn(entity, keys).slice(0, MAX_SHOWN)
  if (found.length === 0) return <p className="text-muted">{t('left.noKeys')}</p>
  return (
    <ul className="flex flex-col gap-2">
      {found.map((item) => (
        <li key={item.id}>
          <KeyLeft item={item} />
        </li>
      ))}
    </ul>
  )
}

function keysIn(entity: PackageView, keys: readonly KeyView[] = []): KeyView[] {
  return byUrgency(keys.filter((key) => key.package === entity.name && key.status === 'active'))
}

function KeyLeft({ item }: { readonly item: KeyView }) {
  const { t } = useTranslation('packages')
  const { balance } = item
  return (
    <span className="flex flex-col">
      <span className="whitespace-nowrap">
        <span className="text-muted">{t('left.ofKey', { name: item.name })}</span>{' '}
        <Money credits={balance.remaining_credits} hasUnit={false} />{' '}
        <span className="text-xs text-muted">
          / <Money credits={balance.total_credits} hasUnit={false} />
        </span>
      </span>
      <span className="text-xs text-muted">
        <Outlook item={item} />
      </span>
    </span>
  )
}
