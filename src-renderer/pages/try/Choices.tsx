import { useTranslation } from 'react-i18next'
import { CLIENT_FORMATS } from '#contract/dialects.ts'
import type { KeyView, ModelView } from '#contract/schemas.ts'
import { Field, type ControlProps } from '#renderer/components/field.tsx'
import { Select } from '#renderer/components/input.tsx'
import { isFor } from '#renderer/data/choices.ts'
import { isEmbedding, type Format } from '#renderer/data/try-request.ts'
import type { TrySearchChange } from '#renderer/pages/try/search.ts'

type ChoicesProps = {
  readonly keys: readonly KeyView[]
  readonly models: readonly ModelView[]
  readonly limitedBy: string | undefined
  readonly keyId: string | undefined
  readonly model: string | undefined
  /** The one beside it. */
  readonly other: string | undefined
  readonly format: Format
  readonly onChange: (search: TrySearchChange) => void
}

/** With which key, in which format, and which models are asked. */
export function Choices(props: ChoicesProps) {
  const { keys, models, limitedBy, keyId, model, other, format, onChange } = props
  const { t } = useTranslation('try')
  const fitting = models.filter((one) => isFor(format, one))
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <KeyField keys={keys} keyId={keyId} onChange={onChange} />
      <Field label={t('format')}>
        {(control) => (
          <Select
            {...control}
            value={format}
            onChange={(event) => {
              const chosen = CLIENT_FORMATS.find((one) => one === event.target.value)
              if (chosen !== undefined) onChange({ format: chosen })
            }}
          >
            {CLIENT_FORMATS.map((one) => (
              <option key={one} value={one}>
                {t(`formats.${one}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field
        label={t('model')}
        hint={limitedBy === undefined ? undefined : t('modelHint', { name: limitedBy })}
        error={fitting.length === 0 ? t('noModel') : undefined}
      >
        {(control) => (
          <ModelSelect
            control={control}
            models={fitting}
            value={model ?? ''}
            onChange={(chosen) => onChange({ model: chosen })}
          />
        )}
      </Field>
      {!isEmbedding(format) && (
        <Field label={t('beside')}>
          {(control) => (
            <ModelSelect
              control={control}
              none={t('besideNone')}
              models={fitting.filter(({ id }) => id !== model)}
              value={other ?? ''}
              onChange={(chosen) => onChange({ beside: chosen === '' ? undefined : chosen })}
            />
          )}
        </Field>
      )}
    </div>
  )
}

function KeyField({ keys, keyId, onChange }: Pick<ChoicesProps, 'keys' | 'keyId' | 'onChange'>) {
  const { t } = useTranslation('try')
  const stateWord = (status: string) => t(`states.${status}`)
  return (
    <Field label={t('key')}>
      {(control) => (
        <Select {...control} value={keyId ?? ''} onChange={(event) => onChange({ key: event.target.value })}>
          {keys.map((key) => (
            <option key={key.id} value={key.id}>
              {key.name}
              {/* Such a key can be tried as well, to see what its tool is told. */}
              {key.status !== 'active' && ` (${stateWord(key.status)})`}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}

type ModelSelectProps = {
  readonly control: ControlProps
  readonly models: readonly ModelView[]
  readonly value: string
  /** The words for no model at all. */
  readonly none?: string
  readonly onChange: (id: string) => void
}

function ModelSelect({ control, models, value, none, onChange }: ModelSelectProps) {
  return (
    <Select
      {...control}
      disabled={models.length === 0}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {none !== undefined && <option value="">{none}</option>}
      {models.map((one) => (
        <option key={one.id} value={one.id}>
          {one.display_name === one.id ? one.id : `${one.id} (${one.display_name})`}
        </option>
      ))}
    </Select>
  )
}
