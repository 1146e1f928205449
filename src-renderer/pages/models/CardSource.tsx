import { useTranslation } from 'react-i18next'
import type { CardVersion } from '#contract/price-feed.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Select } from '#renderer/components/input.tsx'
import { dateText, msOf } from '#renderer/data/times.ts'

type CardSourceProps = {
  /** undefined for the card that came with Farebox. */
  readonly version: string | undefined
  readonly onChange: (version: string | undefined) => void
}

/** Which card is compared with. A newer one is fetched from its feed when the button is pressed, and changes no price. */
export function CardSource({ version, onChange }: CardSourceProps) {
  const { t, i18n } = useTranslation('models')
  const versions = useApi('listPriceCards', {}).data ?? []
  const fetchCard = useAction('fetchPriceCard', {
    invalidates: ['listPriceCards'],
    showsOwnErrors: true,
    done: (card) => t(card.is_new ? 'card.fetched' : 'card.latest', { version: card.version }),
    onDone: (card) => onChange(String(card.version)),
  })
  const nameOf = ({ version: number, date }: CardVersion) => {
    const dateMs = msOf(date)
    const day = dateMs === undefined ? date : dateText(dateMs, i18n.language, 'UTC')
    return number === null ? t('card.delivered', { date: day }) : t('card.kept', { version: number, date: day })
  }
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end gap-2">
        <Field label={t('card.which')}>
          {(control) => (
            <Select
              {...control}
              value={version ?? ''}
              onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
            >
              {versions.map((each) => (
                <option key={each.version} value={each.version ?? ''}>
                  {nameOf(each)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Button onClick={() => fetchCard.mutate({})} isBusy={fetchCard.isPending}>
          {t('card.fetch')}
        </Button>
      </div>
      <Problem text={fetchCard.error?.message} />
    </div>
  )
}
