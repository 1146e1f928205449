import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ProviderTestResult, ProviderView } from '#contract/providers.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Status } from '#renderer/components/badge.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'
import { Money } from '#renderer/components/money.tsx'
import { modelsAt, mostMicroOfTest } from '#renderer/data/provider-test.ts'

export function TestButton({ provider }: { readonly provider: ProviderView }) {
  const { t } = useTranslation('providers')
  const [model, setModel] = useState('')
  const test = useAction('testProvider', { showsOwnErrors: true, invalidates: ['status', 'listProviders'] })
  const name = model.trim()
  const run = () => test.mutate({ id: provider.id, ...(name === '' ? {} : { query: { model: name } }) })
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button size="small" isBusy={test.isPending} onClick={run}>
          {t('test.action')}
        </Button>
        <p className="text-xs text-muted">{t('test.hint')}</p>
      </div>
      <ModelField provider={provider.name} name={model} onChange={setModel} />
      <div role="status">{test.data !== undefined && !test.isPending && <TestResult result={test.data} />}</div>
      <Problem text={test.error?.message} />
    </div>
  )
}

type ModelFieldProps = {
  readonly provider: string
  readonly name: string
  readonly onChange: (name: string) => void
}

/** Which model is asked as well, and what that costs at most, before it is. */
function ModelField({ provider, name, onChange }: ModelFieldProps) {
  const { t } = useTranslation('providers')
  const listId = useId()
  const models = modelsAt(provider, useApi('listModels', {}).data ?? [])
  const most = mostMicroOfTest(models.find((model) => model.name === name.trim())?.price)
  return (
    <div className="flex flex-col gap-1">
      <Field label={t('test.model')} hint={t('test.modelHint')}>
        {(control) => (
          <Input
            {...control}
            list={listId}
            maxLength={200}
            value={name}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      <datalist id={listId}>
        {models.map((model) => (
          <option key={model.name} value={model.name} />
        ))}
      </datalist>
      {name.trim() !== '' && (
        <p className="text-xs text-muted">
          {most === undefined ? (
            t('test.costUnknown')
          ) : (
            <>
              {t('test.costAtMost')} <Money micro={most} detail="exact" />
            </>
          )}
        </p>
      )}
    </div>
  )
}

function TestResult({ result: { ok, message, problem, advice } }: { readonly result: ProviderTestResult }) {
  const { t } = useTranslation('providers')
  return (
    <div className="flex flex-col items-start gap-1 rounded-md bg-sunken p-3 text-sm">
      <Status tone={ok ? 'live' : 'lost'}>{t(ok ? 'test.ok' : 'test.failed')}</Status>
      <p className="break-words">{message}</p>
      {advice !== null && <p className="break-words text-muted">{advice}</p>}
      {problem !== null && <code className="font-mono text-xs text-muted">{problem}</code>}
    </div>
  )
}
