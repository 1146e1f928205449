import { MODEL_KINDS } from '#contract/dialects.ts'
import { useTranslation } from 'react-i18next'
import { errorAt } from '#renderer/api/field-errors.ts'
import { Field } from '#renderer/components/field.tsx'
import { Select } from '#renderer/components/input.tsx'

type Kind = '' | (typeof MODEL_KINDS)[number]

type SaidKindProps = {
  readonly kind: Kind
  readonly onChange: (kind: Kind) => void
  readonly error: Error | null
}

/** What models are for of which nobody says it. */
export function SaidKind({ kind, onChange, error }: SaidKindProps) {
  const { t } = useTranslation('providers')
  return (
    <Field label={t('kind.title')} hint={t('kind.hint')} error={errorAt(error, 'kind')}>
      {(control) => (
        <Select
          {...control}
          value={kind}
          onChange={(event) => onChange(MODEL_KINDS.find((one) => one === event.target.value) ?? '')}
        >
          <option value="">{t('kind.asNamed')}</option>
          {MODEL_KINDS.map((one) => (
            <option key={one} value={one}>
              {t(`kind.${one}`)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
