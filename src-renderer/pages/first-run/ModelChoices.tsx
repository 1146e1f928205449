import { useTranslation } from 'react-i18next'
import type { ModelOffer } from '#contract/provider-models.ts'
import { Badge } from '#renderer/components/badge.tsx'
import { Checkbox } from '#renderer/components/checkbox.tsx'
import { Money } from '#renderer/components/money.tsx'

type ModelChoicesProps = {
  readonly offers: readonly ModelOffer[]
  readonly chosen: readonly string[]
  readonly onToggle: (model: string) => void
}

/** Some providers have hundreds, of which the search finds the others. */
const MAX_SHOWN = 100

export function ModelChoices({ offers, chosen, onToggle }: ModelChoicesProps) {
  const { t } = useTranslation('first-run')
  if (offers.length === 0) return <p className="py-4 text-center text-muted">{t('models.none')}</p>
  return (
    <>
      <p className="-mb-3 text-right text-xs text-muted">{t('models.prices')}</p>
      <ul className="max-h-80 divide-y divide-line overflow-y-auto rounded-md border border-line">
        {offers.slice(0, MAX_SHOWN).map((offer) => (
          <ModelChoice
            key={offer.model}
            offer={offer}
            isChosen={chosen.includes(offer.model)}
            onToggle={() => onToggle(offer.model)}
          />
        ))}
      </ul>
      {offers.length > MAX_SHOWN && (
        <p className="-mt-2 text-xs text-muted">{t('models.more', { count: offers.length - MAX_SHOWN })}</p>
      )}
    </>
  )
}

type ModelChoiceProps = { readonly offer: ModelOffer; readonly isChosen: boolean; readonly onToggle: () => void }

function ModelChoice({ offer, isChosen, onToggle }: ModelChoiceProps) {
  const { t } = useTranslation('first-run')
  const id = `model-${offer.model}`
  return (
    <li className="flex items-center gap-3 px-3 py-2">
      <Checkbox id={id} checked={isChosen} onCheckedChange={onToggle} />
      <label htmlFor={id} className="min-w-0 flex-1">
        <span className="block truncate">{offer.display_name}</span>
        <span className="block truncate text-xs text-muted">{offer.id}</span>
      </label>
      {offer.state === 'no-limits' && <Badge tone="low">{t('models.noLimits')}</Badge>}
      {offer.price === null ? (
        <Badge tone="low">{t('models.unpriced')}</Badge>
      ) : (
        <span className="text-xs whitespace-nowrap text-muted">
          <Money credits={offer.price.input} hasUnit={false} /> / <Money credits={offer.price.output} hasUnit={false} />
        </span>
      )}
    </li>
  )
}
