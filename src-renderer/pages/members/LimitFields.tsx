import { useTranslation } from 'react-i18next'
import { errorAt } from '#renderer/api/field-errors.ts'
import { AmountField } from '#renderer/components/amount-field.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Input } from '#renderer/components/input.tsx'
import { COUNT_LIMITS, type LimitTexts } from '#renderer/data/member-form.ts'
import { readCount } from '#renderer/data/package-form.ts'

/** What the server may name in a refusal, and is shown where it belongs. */
export const LIMIT_NAMES = [...COUNT_LIMITS, 'credits_per_day'] as const

type LimitFieldsProps = {
  readonly limits: LimitTexts
  readonly onChange: (limits: LimitTexts) => void
  readonly error: Error | null
}

/** What all keys of a member may use together. */
export function LimitFields({ limits, onChange, error }: LimitFieldsProps) {
  const { t } = useTranslation('members')
  const problemOf = (text: string) => (readCount(text) === undefined ? t('limits.wrong') : undefined)
  return (
    <fieldset>
      <legend className="text-sm font-medium">{t('limits.title')}</legend>
      <p className="mt-0.5 mb-2 text-xs text-muted">{t('limits.hint')}</p>
      <div className="grid grid-cols-2 items-start gap-4 max-sm:grid-cols-1">
        {COUNT_LIMITS.map((name) => (
          <Field key={name} label={t(`limits.${name}`)} error={errorAt(error, name) ?? problemOf(limits[name])}>
            {(control) => (
              <Input
                {...control}
                inputMode="numeric"
                maxLength={10}
                placeholder={t('limits.none')}
                value={limits[name]}
                onChange={(event) => onChange({ ...limits, [name]: event.target.value })}
              />
            )}
          </Field>
        ))}
        <AmountField
          label={t('limits.credits_per_day')}
          text={limits.credits_per_day}
          onChange={(credits) => onChange({ ...limits, credits_per_day: credits })}
          sign="notNegative"
          error={errorAt(error, 'credits_per_day')}
        />
      </div>
    </fieldset>
  )
}
