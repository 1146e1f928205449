import { MODEL_KINDS } from '#contract/dialects.ts'
import { useTranslation } from 'react-i18next'
import { errorAt } from '#renderer/api/field-errors.ts'
import { Field } from '#renderer/components/field.tsx'
import { Input, Select } from '#renderer/components/input.tsx'
import { readTokens, type ModelForm } from '#renderer/data/model-form.ts'

export type FormPartProps = {
  readonly form: ModelForm
  readonly set: (change: Partial<ModelForm>) => void
  readonly error: Error | null
}

export function DisplayNameField({ form, set, error }: FormPartProps) {
  const { t } = useTranslation('models')
  return (
    <Field label={t('field.displayName')} hint={t('field.displayNameHint')} error={errorAt(error, 'display_name')}>
      {(control) => (
        <Input
          {...control}
          maxLength={100}
          value={form.displayName}
          onChange={(event) => set({ displayName: event.target.value })}
        />
      )}
    </Field>
  )
}

export function KindField({ form, set, error }: FormPartProps) {
  const { t } = useTranslation('models')
  return (
    <Field label={t('column.kind')} hint={t(`kindHint.${form.kind}`)} error={errorAt(error, 'kind')}>
      {(control) => (
        <Select
          {...control}
          value={form.kind}
          onChange={(event) => set({ kind: MODEL_KINDS.find((kind) => kind === event.target.value) ?? form.kind })}
        >
          {MODEL_KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {t(`kind.${kind}`)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}

/** How many tokens a model takes and gives. */
export function SizeFields({ form, set, error }: FormPartProps) {
  const { t } = useTranslation('models')
  const wrong = (text: string) =>
    text.trim() !== '' && readTokens(text) === undefined ? t('field.tokensWrong') : undefined
  return (
    <div className="grid grid-cols-2 items-start gap-4 max-sm:grid-cols-1">
      <Field
        label={t('field.context')}
        hint={t('field.contextHint')}
        error={errorAt(error, 'context_window') ?? wrong(form.contextWindow)}
      >
        {(control) => (
          <Input
            {...control}
            inputMode="numeric"
            maxLength={14}
            placeholder="200000"
            value={form.contextWindow}
            onChange={(event) => set({ contextWindow: event.target.value })}
          />
        )}
      </Field>
      {form.kind === 'chat' && (
        <Field
          label={t('field.maxOutput')}
          hint={t('field.maxOutputHint')}
          error={errorAt(error, 'max_output_tokens') ?? wrong(form.maxOutput)}
        >
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              maxLength={14}
              placeholder="64000"
              value={form.maxOutput}
              onChange={(event) => set({ maxOutput: event.target.value })}
            />
          )}
        </Field>
      )}
    </div>
  )
}
