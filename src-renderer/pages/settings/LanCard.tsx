import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { LanView } from '#contract/lan.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Status } from '#renderer/components/badge.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Confirm } from '#renderer/components/confirm.tsx'
import { CopyField } from '#renderer/components/copy.tsx'
import { Facts } from '#renderer/components/facts.tsx'
import { Fingerprint } from '#renderer/components/fingerprint.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { ErrorState, Loading } from '#renderer/components/states.tsx'
import { Time } from '#renderer/components/time.tsx'
import { LanDialog } from '#renderer/pages/settings/LanDialog.tsx'

const TONES = { on: 'live', off: 'calm', failed: 'lost', waiting: 'calm' } as const

/** Whether other machines reach the gateway, what exactly they reach, and how they know that it is the right one. */
export function LanCard() {
  const { t } = useTranslation('settings')
  const { data: lan, error, isError, refetch } = useApi('showLan', {})
  return (
    <Card title={t('lan.title')}>
      <p className="-mt-2 mb-3 text-muted">{t('lan.text')}</p>
      {lan === undefined && !isError && <Loading lines={3} />}
      {lan === undefined && isError && (
        <ErrorState title={t('lan.failed')} onRetry={() => void refetch()}>
          {error.message}
        </ErrorState>
      )}
      {lan !== undefined && <Present lan={lan} />}
    </Card>
  )
}

function Present({ lan }: { readonly lan: LanView }) {
  const { t } = useTranslation('settings')
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div className="flex flex-col gap-3">
      <p>
        <Status tone={TONES[lan.state]}>{t(`lan.states.${lan.state}`)}</Status>
      </p>
      <Problem text={lan.problem ?? undefined} />
      {lan.urls.map((url) => (
        <CopyField key={url} label={t('lan.address')} text={url} />
      ))}
      {lan.state === 'on' && <Reached lan={lan} />}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setIsOpen(true)}>{t(lan.state === 'off' ? 'lan.turnOn' : 'lan.change')}</Button>
        {lan.state !== 'off' && <TurnOff />}
      </div>
      {isOpen && <LanDialog lan={lan} onClose={() => setIsOpen(false)} />}
    </div>
  )
}

function Reached({ lan: { certificate, settings, is_public } }: { readonly lan: LanView }) {
  const { t } = useTranslation('settings')
  return (
    <>
      <p className="text-xs text-muted">
        {t(settings?.administration === true ? 'lan.withAdministration' : 'lan.withoutAdministration')}
      </p>
      {is_public && <p className="text-sm text-amber">{t('lan.public')}</p>}
      {certificate !== null && (
        <Facts
          facts={[
            { name: t('lan.fingerprint'), value: <Fingerprint text={certificate.fingerprint} /> },
            { name: t('lan.for'), value: certificate.names.join(', ') },
            { name: t('lan.until'), value: <Time at={certificate.expires_at} /> },
          ]}
        />
      )}
    </>
  )
}

function TurnOff() {
  const { t } = useTranslation('settings')
  const [isAsked, setIsAsked] = useState(false)
  const off = useAction('turnLanOff', { done: t('lan.isOff'), onDone: () => setIsAsked(false) })
  return (
    <>
      <Button look="danger" onClick={() => setIsAsked(true)}>
        {t('lan.turnOff')}
      </Button>
      <Confirm
        isOpen={isAsked}
        onOpenChange={setIsAsked}
        title={t('lan.offTitle')}
        description={t('lan.offText')}
        action={t('lan.turnOff')}
        isBusy={off.isPending}
        onConfirm={() => off.mutate({})}
      />
    </>
  )
}
