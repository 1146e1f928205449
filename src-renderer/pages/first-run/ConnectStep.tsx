import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { ModelView } from '#contract/schemas.ts'
import { Button } from '#renderer/components/button.tsx'
import { ModelAndAddress } from '#renderer/components/model-and-address.tsx'
import { Snippets } from '#renderer/components/snippets.tsx'
import { shellOf, snippetsFor } from '#renderer/data/snippets.ts'
import { isOverLan } from '#renderer/data/over-lan.ts'
import { modelOf } from '#renderer/data/choices.ts'
import { FoundTools } from '#renderer/pages/first-run/FoundTools.tsx'

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
  const { url, models, onModel, keyName, keyValue, onNewKey, onDone } = props
  const { t } = useTranslation('first-run')
  const model = modelOf(models, 'chat', props.model)
  const snippets = useMemo(
    () => snippetsFor({ url, model: model ?? 'model', key: keyValue, shell: shellOf(navigator.userAgent) }),
    [url, model, keyValue],
  )
  return (
    <div className="flex flex-col gap-4">
      {!isOverLan() && <FoundTools />}
      <ModelAndAddress
        labels={{ model: t('connect.model'), address: t('connect.address') }}
        models={models}
        model={model}
        onModel={onModel}
        problem={model === undefined ? t('connect.noModel') : undefined}
        url={url}
      />
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
