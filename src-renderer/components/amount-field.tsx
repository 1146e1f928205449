import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Field } from '#renderer/components/field.tsx'
import { Input } from '#renderer/components/input.tsx'
import { readAmount } from '#renderer/data/amount-input.ts'

type AmountFieldProps = {
  readonly label: string
  /** As it is typed; `readAmount` says what it means. */
  readonly text: string
  readonly onChange: (text: string) => void
  /** `positive` and `notNegative` say so while something else is typed. */
  readonly sign: 'any' | 'positive' | 'notNegative'
  readonly hint?: ReactNode
  /** What the server says about it. */
  readonly error?: string | undefined
  readonly isLocked?: boolean
  readonly className?: string
}

/** An amount of credits. */
export function AmountField({ label, text, onChange, sign, hint, error, isLocked, className }: AmountFieldProps) {
  const { t, i18n } = useTranslation('common')
  const problem = problemOf(text, sign, i18n.language)
  return (
    <Field
      label={label}
      {...(hint === undefined ? {} : { hint })}
      error={error ?? (problem && t(`amount.${problem}`))}
      {...(className === undefined ? {} : { className })}
    >
      {(control) => (
        <span className="relative">
          <Input
            {...control}
            inputMode="decimal"
            maxLength={24}
            readOnly={isLocked}
            value={text}
            onChange={(event) => onChange(event.target.value)}
            className="pr-16 tabular-nums"
          />
          <span aria-hidden className="pointer-events-none absolute top-2 right-3 text-sm text-muted">
            {t('credits')}
          </span>
        </span>
      )}
    </Field>
  )
}

function problemOf(text: string, sign: AmountFieldProps['sign'], locale: string) {
  const amount = readAmount(text, locale)
  if (amount.type === 'wrong') return amount.reason
  if (amount.type === 'empty' || sign === 'any') return undefined
  if (amount.micro < 0n) return 'negative'
  return sign === 'positive' && amount.micro === 0n ? 'zero' : undefined
}
