import { useTranslation } from 'react-i18next'
import { errorAt } from '#renderer/api/field-errors.ts'
import { Field } from '#renderer/components/field.tsx'
import { Input } from '#renderer/components/input.tsx'
import { LABEL_NAMES, type LabelTexts } from '#renderer/data/key-labels.ts'

type LabelFieldsProps = {
  readonly labels: LabelTexts
  readonly onChange: (labels: LabelTexts) => void
  readonly error: Error | null
}

/** What the calls of a key are counted to, whatever its clients say. */
export function LabelFields({ labels, onChange, error }: LabelFieldsProps) {
  const { t } = useTranslation('keys')
  return (
    <fieldset>
      <legend className="text-sm font-medium">{t('labels.title')}</legend>
      <p className="mt-0.5 mb-2 text-xs text-muted">{t('labels.text')}</p>
      <div className="grid grid-cols-2 items-start gap-4 max-sm:grid-cols-1">
        {LABEL_NAMES.map((name) => (
          <Field
            key={name}
            label={t(name)}
            {...(name === 'tags' ? { hint: t('labels.tagsHint'), className: 'sm:col-span-2' } : {})}
            error={errorAt(error, name)}
          >
            {(control) => (
              <Input
                {...control}
                maxLength={name === 'tags' ? 400 : 64}
                value={labels[name]}
                onChange={(event) => onChange({ ...labels, [name]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
    </fieldset>
  )
}
