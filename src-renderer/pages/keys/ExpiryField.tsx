import { useTranslation } from 'react-i18next'
import { Field } from '#renderer/components/field.tsx'
import { Input, Select } from '#renderer/components/input.tsx'

const LENGTHS = ['30d', '90d', '365d', 'never'] as const

/** How long a key lives: what the API takes, or empty while a date is still to be chosen. */
export type Expiry = { readonly kind: 'length' | 'date'; readonly value: string }

export const FIRST_EXPIRY: Expiry = { kind: 'length', value: '90d' }

type ExpiryFieldProps = {
  readonly expiry: Expiry
  readonly onChange: (expiry: Expiry) => void
  /** Members may choose no more than the default. */
  readonly isShort: boolean
  /** IANA name of the zone whose midnight ends a date. */
  readonly zone: string | undefined
  readonly error: string | undefined
}

export function ExpiryField({ expiry, onChange, isShort, zone, error }: ExpiryFieldProps) {
  const { t } = useTranslation('keys')
  const lengths = isShort ? LENGTHS.slice(0, 2) : LENGTHS
  const isDate = expiry.kind === 'date'
  const choose = (value: string) => onChange(value === '' ? { kind: 'date', value: '' } : { kind: 'length', value })
  return (
    <Field
      label={t('expiry.label')}
      error={error}
      hint={isDate ? t('expiry.dateHint', { zone: zone ?? t('expiry.ofPackage') }) : t('expiry.hint')}
    >
      {(control) => (
        <span className="flex gap-2">
          <Select
            {...control}
            value={isDate ? '' : expiry.value}
            onChange={(event) => choose(event.target.value)}
            className={isDate ? 'w-1/2' : ''}
          >
            {lengths.map((length) => (
              <option key={length} value={length}>
                {t(`expiry.${length}`)}
              </option>
            ))}
            <option value="">{t('expiry.date')}</option>
          </Select>
          {isDate && (
            <Input
              type="date"
              aria-label={t('expiry.day')}
              value={expiry.value}
              onChange={(event) => onChange({ kind: 'date', value: event.target.value })}
              className="w-1/2"
            />
          )}
        </span>
      )}
    </Field>
  )
}
