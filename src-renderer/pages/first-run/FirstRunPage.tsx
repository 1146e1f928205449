import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyCreated } from '#contract/schemas.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { PageHeader } from '#renderer/components/page-header.tsx'
import { ErrorState, Loading } from '#renderer/components/states.tsx'
import { openStep, skipFirstRun, stepAfter, stepBefore, type Step } from '#renderer/data/first-run.ts'
import { ArriveStep } from '#renderer/pages/first-run/ArriveStep.tsx'
import { ConnectStep } from '#renderer/pages/first-run/ConnectStep.tsx'
import { KeyStep } from '#renderer/pages/first-run/KeyStep.tsx'
import { ProviderStep } from '#renderer/pages/first-run/ProviderStep.tsx'
import { StepList } from '#renderer/pages/first-run/StepList.tsx'
import { useSetUp, type SetUp } from '#renderer/pages/first-run/use-set-up.ts'

const route = getRouteApi('/shell/first-run')

/** From nothing to the first metered answer. The step is in the address, so that it can be left and come back to. */
export function FirstRunPage() {
  const { t } = useTranslation('first-run')
  const search = route.useSearch()
  const navigate = useNavigate()
  const setUp = useSetUp()
  const leave = () => {
    skipFirstRun(localStorage)
    void navigate({ to: '/overview' })
  }
  return (
    <div className="mx-auto flex max-w-3xl flex-col">
      <PageHeader title={t('title')} description={t('description')} />
      {setUp.error !== undefined && (
        <ErrorState title={t('failed')} onRetry={setUp.retry}>
          {setUp.error.message}
        </ErrorState>
      )}
      {setUp.error === undefined && setUp.known === undefined && <Loading lines={6} />}
      {setUp.known !== undefined && (
        <Steps step={search.step ?? openStep(setUp.known)} setUp={setUp.known} onLeave={leave} />
      )}
    </div>
  )
}

type StepsProps = { readonly step: Step; readonly setUp: SetUp; readonly onLeave: () => void }

function Steps({ step, setUp, onLeave }: StepsProps) {
  const { t } = useTranslation('first-run')
  const search = route.useSearch()
  const navigate = useNavigate()
  // The value of a new key is only ever here: a page that is opened again does not have it any more.
  const [created, setCreated] = useState<KeyCreated>()
  const overview = useApi('overview', {})
  const go = (next: Step | undefined, more: { readonly key?: string; readonly model?: string } = {}) => {
    if (next !== undefined) void navigate({ to: '/first-run', search: { ...search, ...more, step: next } })
  }
  const keep = (key: KeyCreated) => {
    setCreated(key)
    go('connect', { key: key.id })
  }
  const key = setUp.keys.find(({ id }) => id === search.key) ?? setUp.keys.find(({ status }) => status === 'active')
  const value = created !== undefined && created.id === search.key ? created.key : undefined
  const url = overview.data?.gateway.url ?? location.origin
  return (
    <>
      <StepList step={step} onGo={go} />
      <Card title={t(`steps.${step}.title`)}>
        <p className="-mt-2 mb-4 text-muted">{t(`steps.${step}.text`)}</p>
        {step === 'provider' && (
          <ProviderStep providers={setUp.providers} onKey={setCreated} onDone={() => go('key')} />
        )}
        {step === 'key' && (
          <KeyStep
            keys={setUp.keys}
            packages={setUp.packages}
            created={created}
            onCreated={keep}
            onChosen={(id) => go('connect', { key: id })}
          />
        )}
        {step === 'connect' && (
          <ConnectStep
            url={url}
            models={setUp.models}
            model={search.model}
            onModel={(model) => go('connect', { model })}
            keyName={key?.name}
            keyValue={value}
            onNewKey={() => go('key')}
            onDone={() => go('arrive')}
          />
        )}
        {step === 'arrive' && <ArriveStep usedKey={key} models={setUp.models} model={search.model} onDone={onLeave} />}
      </Card>
      <div className="mt-4 flex justify-between">
        <Button look="quiet" disabled={stepBefore(step) === undefined} onClick={() => go(stepBefore(step))}>
          {t('back')}
        </Button>
        <Button look="quiet" onClick={onLeave}>
          {t('skip')}
        </Button>
        <Button look="quiet" disabled={stepAfter(step) === undefined} onClick={() => go(stepAfter(step))}>
          {t('forth')}
        </Button>
      </div>
    </>
  )
}
