import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { ModelView } from '#contract/schemas.ts'
import { Button } from '#renderer/components/button.tsx'
import { CopyField } from '#renderer/components/copy.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Select } from '#renderer/components/input.tsx'
import { Snippets } from '#renderer/components/snippets.tsx'
import { shellOf, snippetsFor } from '#renderer/data/snippets.ts'
import { modelOf } from '#renderer/data/choices.ts'

type ConnectStepProps = {
  readonly url: string
  readonly models: readonly ModelView[]
  readonly model: string | undefined
  readonly onModel: (model: string) => void
  readonly keyName: string | undefined
  /** Undefined once it is not known any more. */
  readonly keyValue: string | undefined
  readonly onNewKey: () => void
  readonly onDone: () => void
}

export function ConnectStep(props: ConnectStepProps) {
  const { url, models, keyName, keyValue, onNewKey, onDone } = props
  const { t } = useTranslation('first-run')
  const chat = models.filter(({ enabled, kind }) => enabled && kind !== 'embedding')
  const model = modelOf(models, 'chat', props.model)
  const snippets = useMemo(
    () => snippetsFor({ url, model: model ?? 'model', key: keyValue, shell: shellOf(navigator.userAgent) }),
    [url, model, keyValue],
  )
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('connect.model')} error={chat.length === 0 ? t('connect.noModel') : undefined}>
          {(control) => (
            <Select
              {...control}
              disabled={chat.length === 0}
              value={model ?? ''}
              onChange={(event) => props.onModel(event.target.value)}
            >
              {chat.map(({ id }) => (
                <option key={id} value={id}>
                  {id}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <div className="flex flex-col gap-1.5">
          <span className="text-sm font-medium">{t('connect.address')}</span>
          <CopyField label={t('connect.address')} text={url} />
        </div>
      </div>
      <KeyLine name={keyName} hasValue={keyValue !== undefined} onNewKey={onNewKey} />
      <Snippets snippets={snippets} hasKey={keyValue !== undefined} />
      <Button look="primary" className="self-start" onClick={onDone}>
        {t('connect.done')}
      </Button>
    </div>
  )
}

type KeyLineProps = { readonly name: string | undefined; readonly hasValue: boolean; readonly onNewKey: () => void }

function KeyLine({ name, hasValue, onNewKey }: KeyLineProps) {
  const { t } = useTranslation('first-run')
  if (hasValue) return <p className="text-muted">{t('connect.keyIn', { name })}</p>
  return (
    <p className="text-muted">
      {name === undefined ? t('connect.noKey') : t('connect.keyOut', { name })}{' '}
      <button type="button" onClick={onNewKey} className="text-accent underline">
        {t('connect.newKey')}
      </button>
    </p>
  )
}
