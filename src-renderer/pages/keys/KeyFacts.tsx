// What is known about a key, the same in the drawer of a key and on the page of whoever signed in with one.

import { useTranslation } from 'react-i18next'
import type { KeyView } from '#contract/schemas.ts'
import { Bar } from '#renderer/components/bar.tsx'
import { Facts, type Fact } from '#renderer/components/facts.tsx'
import { Money } from '#renderer/components/money.tsx'
import { Outlook } from '#renderer/components/outlook.tsx'
import { Time } from '#renderer/components/time.tsx'
import { availableMicro } from '#renderer/data/key-list.ts'
import { countText } from '#renderer/data/numbers.ts'

/** The members of `GET /v1/balance`, each as it is there. */
export function BalanceFacts({ item }: { readonly item: KeyView }) {
  const { t, i18n } = useTranslation('keys')
  const { balance } = item
  const isUnlimited = balance.total_credits === null
  const remaining: readonly Fact[] = [
    {
      name: t('balance.remaining'),
      value: <Money credits={balance.remaining_credits} detail="exact" className="font-semibold" />,
    },
  ]
  const available: readonly Fact[] = [
    { name: t('balance.available'), value: <Money micro={availableMicro(balance)} detail="exact" /> },
  ]
  return (
    <div className="flex flex-col gap-3">
      <Bar total={balance.total_credits} used={balance.used_credits} held={balance.held_credits} />
      <Facts
        facts={[
          {
            name: t('balance.total'),
            value: isUnlimited ? t('balance.unlimited') : <Money credits={balance.total_credits} detail="exact" />,
          },
          { name: t('balance.used'), value: <Money credits={balance.used_credits} detail="exact" /> },
          ...(isUnlimited ? [] : remaining),
          { name: t('balance.held'), value: <Money credits={balance.held_credits} detail="exact" /> },
          ...(isUnlimited ? [] : available),
          { name: t('balance.cycle'), value: <Time at={balance.cycle_started_at} /> },
          { name: t('balance.reset'), value: <Time at={balance.next_reset_at} none={t('never')} /> },
          ...(item.outlook === null ? [] : [{ name: t('balance.outlook'), value: <Outlook item={item} /> }]),
          { name: t('column.requests'), value: countText(balance.total_requests, i18n.language) },
          { name: t('column.used'), value: <Time at={balance.last_used_at} none={t('never')} /> },
        ]}
      />
    </div>
  )
}

/** Whose it is, and how long its values hold. */
export function KeyFacts({ item }: { readonly item: KeyView }) {
  const { t } = useTranslation('keys')
  return (
    <Facts
      facts={[
        { name: t('column.owner'), value: item.owner ?? t('noOwner') },
        ...(item.tool === null ? [] : [{ name: t('tool'), value: item.tool }]),
        ...(item.project === null ? [] : [{ name: t('project'), value: item.project }]),
        ...(item.tags.length === 0 ? [] : [{ name: t('tags'), value: item.tags.join(', ') }]),
        { name: t('created'), value: <Time at={item.created_at} /> },
        { name: t('valueSince'), value: <Time at={item.value_since} /> },
        ...(item.previous_valid_until === null
          ? []
          : [{ name: t('previousUntil'), value: <Time at={item.previous_valid_until} /> }]),
        { name: t('column.expires'), value: <Time at={item.expires_at} none={t('never')} /> },
      ]}
    />
  )
}
