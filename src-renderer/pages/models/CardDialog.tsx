// What the price card says beside the prices at hand: looked at first, and applied only where it is chosen.

import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CardComparison } from '#contract/price-card.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Checkbox } from '#renderer/components/checkbox.tsx'
import { Dialog } from '#renderer/components/dialog.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { ErrorState, Loading } from '#renderer/components/states.tsx'
import { cardChanges, jumpingIds, preselected } from '#renderer/data/card-list.ts'
import { dateText, msOf } from '#renderer/data/times.ts'
import { CardRows } from '#renderer/pages/models/CardRows.tsx'
import { CardSource } from '#renderer/pages/models/CardSource.tsx'

export function CardDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('models')
  const [version, setVersion] = useState<string>()
  const card = useApi('priceCard', { query: version === undefined ? {} : { card: version } })
  const source = <CardSource version={version} onChange={setVersion} />
  if (card.data !== undefined) {
    return <Comparison key={card.data.version} card={card.data} kept={version} source={source} onClose={onClose} />
  }
  return (
    <Dialog isOpen onOpenChange={onClose} title={t('card.title')} className="max-w-4xl">
      {source}
      {card.isError ? (
        <ErrorState title={t('card.failed')} onRetry={() => void card.refetch()}>
          {card.error.message}
        </ErrorState>
      ) : (
        <Loading lines={6} />
      )}
    </Dialog>
  )
}

type ComparisonProps = {
  readonly card: CardComparison
  /** The version that was fetched from the feed; undefined for the card that came with Farebox. */
  readonly kept: string | undefined
  readonly source: ReactNode
  readonly onClose: () => void
}

function Comparison({ card, kept, source, onClose }: ComparisonProps) {
  const { t, i18n } = useTranslation('models')
  const changes = cardChanges(card)
  const [chosen, setChosen] = useState<readonly string[]>(() => preselected(changes))
  const [isMeant, setIsMeant] = useState(false)
  const apply = useAction('applyPriceCard', {
    done: ({ applied }) => t('card.done', { count: applied.length }),
    onDone: onClose,
    showsOwnErrors: true,
  })
  const isJumping = jumpingIds(changes, chosen).length > 0
  const submit = () =>
    apply.mutate({
      body: {
        version: card.version,
        ids: [...chosen],
        ...(kept === undefined ? {} : { card: Number(kept) }),
        ...(isJumping ? { confirm_jumps: true } : {}),
      },
    })
  const cardMs = msOf(card.date)
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('card.title')}
      description={t('card.text', { date: cardMs === undefined ? card.date : dateText(cardMs, i18n.language, 'UTC') })}
      className="max-w-4xl"
      footer={
        <>
          <Button onClick={onClose}>{t('common:close')}</Button>
          {changes.length > 0 && (
            <Button
              look="primary"
              isBusy={apply.isPending}
              disabled={chosen.length === 0 || (isJumping && !isMeant)}
              onClick={submit}
            >
              {t('card.apply', { count: chosen.length })}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {source}
        <CardRows rows={changes} chosen={chosen} onChange={setChosen} />
        {isJumping && (
          <label className="flex items-start gap-2 rounded-md bg-amber-soft p-3 text-sm">
            <Checkbox checked={isMeant} onCheckedChange={(next) => setIsMeant(next === true)} />
            {t('card.jumps')}
          </label>
        )}
        <Problem text={apply.error?.message} />
        <Rest card={card} />
      </div>
    </Dialog>
  )
}

/** What the card agrees with, and what it does not know. */
function Rest({ card }: { readonly card: CardComparison }) {
  const { t } = useTranslation('models')
  const same = card.rows.filter(({ change }) => change === 'same').length
  return (
    <div className="flex flex-col gap-1 text-xs text-muted">
      {same > 0 && <p>{t('card.same', { count: same })}</p>}
      {card.not_on_card.length > 0 && (
        <p className="break-words">{t('card.missing', { list: card.not_on_card.join(', ') })}</p>
      )}
    </div>
  )
}
