import { useTranslation } from 'react-i18next'
import { errorAt } from '#renderer/api/field-errors.ts'
import { AmountField } from '#renderer/components/amount-field.tsx'
import { isTooDear, type PriceForm } from '#renderer/data/price-form.ts'
import { PRICE_CLASSES } from '#renderer/data/pricing.ts'

type PriceFieldsProps = {
  readonly form: PriceForm
  readonly onChange: (form: PriceForm) => void
  readonly error: Error | null
}

/** What a million tokens of each class cost. */
export function PriceFields({ form, onChange, error }: PriceFieldsProps) {
  const { t, i18n } = useTranslation('models')
  return (
    <fieldset>
      <legend className="mb-2 text-xs text-muted">{t('perMillion')}</legend>
      <div className="grid grid-cols-2 items-start gap-4 max-sm:grid-cols-1">
        {PRICE_CLASSES.map((name) => (
          <AmountField
            key={name}
            label={t(`class.${name}`)}
            text={form[name]}
            onChange={(text) => onChange({ ...form, [name]: text })}
            sign="notNegative"
            {...(name.startsWith('cache') ? { hint: t('asInput') } : {})}
            error={errorAt(error, name) ?? (isTooDear(form[name], i18n.language) ? t('price.tooDear') : undefined)}
          />
        ))}
      </div>
    </fieldset>
  )
}
