import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ProviderTestResult, ProviderView } from '#contract/providers.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Status } from '#renderer/components/badge.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'

/** Problems that a call to one model can tell more about. */
const NEEDS_MODEL = ['no_model_list', 'model_unknown']

export function TestButton({ provider }: { readonly provider: ProviderView }) {
  const { t } = useTranslation('providers')
  const [model, setModel] = useState('')
  const test = useAction('testProvider', { showsOwnErrors: true, invalidates: ['status', 'listProviders'] })
  const name = model.trim()
  const run = () => test.mutate({ id: provider.id, ...(name === '' ? {} : { query: { model: name } }) })
  const problem = test.data?.problem ?? undefined
  const isModelAsked = problem !== undefined && NEEDS_MODEL.includes(problem)
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button size="small" isBusy={test.isPending} onClick={run}>
          {t('test.action')}
        </Button>
        <p className="text-xs text-muted">{t('test.hint')}</p>
      </div>
      {(isModelAsked || model !== '') && (
        <Field label={t('test.model')} hint={t('test.modelHint')}>
          {(control) => (
            <Input {...control} maxLength={200} value={model} onChange={(event) => setModel(event.target.value)} />
          )}
        </Field>
      )}
      <div role="status">{test.data !== undefined && !test.isPending && <TestResult result={test.data} />}</div>
      <Problem text={test.error?.message} />
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
