import { useTranslation } from 'react-i18next'
import { errorAt } from '#renderer/api/field-errors.ts'
import { AmountField } from '#renderer/components/amount-field.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Input } from '#renderer/components/input.tsx'
import { readLimit } from '#renderer/data/provider-form.ts'
import type { EditPartProps } from '#renderer/pages/providers/edit-part.ts'

const COUNTS = [
  { field: 'concurrent', param: 'concurrent_requests' },
  { field: 'requests', param: 'requests_per_minute' },
  { field: 'tokens', param: 'tokens_per_minute' },
] as const

/** What Farebox may ask of the provider. */
export function LimitFields({ form, set, error }: EditPartProps) {
  const { t } = useTranslation('providers')
  return (
    <fieldset>
      <legend className="text-sm font-medium">{t('limits.title')}</legend>
      <p className="mt-0.5 mb-2 text-xs text-muted">{t('limits.hint')}</p>
      <div className="grid grid-cols-2 items-start gap-4 max-sm:grid-cols-1">
        {COUNTS.map(({ field, param }) => (
          <Field
            key={field}
            label={t(`limits.${field}`)}
            error={errorAt(error, param) ?? (readLimit(form[field]) === undefined ? t('limits.wrong') : undefined)}
          >
            {(control) => (
              <Input
                {...control}
                inputMode="numeric"
                maxLength={10}
                placeholder={t('limits.none')}
                value={form[field]}
                onChange={(event) => set({ [field]: event.target.value })}
              />
            )}
          </Field>
        ))}
        <AmountField
          label={t('limits.creditsPerDay')}
          text={form.creditsPerDay}
          onChange={(creditsPerDay) => set({ creditsPerDay })}
          sign="notNegative"
          error={errorAt(error, 'credits_per_day')}
        />
      </div>
    </fieldset>
  )
}
