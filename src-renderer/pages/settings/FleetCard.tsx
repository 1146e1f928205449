// The gateways that share the books, how they are, and what becomes of what a lost one left in doubt.

import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FleetGateway } from '#contract/fleet.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Status, type Tone } from '#renderer/components/badge.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Confirm } from '#renderer/components/confirm.tsx'
import { Money } from '#renderer/components/money.tsx'
import { Time } from '#renderer/components/time.tsx'

const EVERY_MS = 5000

const TONES: Readonly<Record<FleetGateway['state'], Tone>> = {
  running: 'live',
  silent: 'waiting',
  gone: 'lost',
  stopped: 'calm',
  lost: 'calm',
  awaited: 'lost',
}

/** Nothing for a gateway by itself. */
export function FleetCard() {
  const { t } = useTranslation('settings')
  const fleet = useApi('showFleet', {}, { everyMs: EVERY_MS })
  if (fleet.data?.is_shared !== true) return null
  return (
    <Card title={t('fleet.title')}>
      <p className="-mt-2 pb-3 text-muted">{t('fleet.text')}</p>
      {!fleet.data.is_serving && (
        <p className="pb-3">
          <Status tone="lost">{t('fleet.notServing')}</Status>
        </p>
      )}
      <ul>
        {fleet.data.gateways.map((gateway) => (
          <li key={gateway.id} className="border-b border-line py-2 last:border-b-0">
            <Gateway gateway={gateway} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Gateway({ gateway }: { readonly gateway: FleetGateway }) {
  const { t } = useTranslation('settings')
  const { place, state, is_this: isThis, version, changes_behind: behind } = gateway
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 flex-1 font-mono text-xs break-all">{place}</span>
        <Status tone={TONES[state]}>{t(`fleet.states.${state}`)}</Status>
      </div>
      <p className="flex flex-wrap gap-x-3 text-xs text-muted">
        {isThis && <span>{t('fleet.this')}</span>}
        <span>{version}</span>
        <span>
          {t('fleet.seen')} <Time at={gateway.last_seen_at} />
        </span>
        {gateway.calls_last_minute !== null && <span>{t('fleet.calls', { count: gateway.calls_last_minute })}</span>}
        {gateway.first_byte_p50_ms !== null && (
          <span>{t('fleet.firstByte', { p50: gateway.first_byte_p50_ms, p95: gateway.first_byte_p95_ms })}</span>
        )}
        {behind > 0 && <span>{t('fleet.behind', { count: behind })}</span>}
        <span>
          {t('fleet.leased')} <Money credits={gateway.leased_credits} />
        </span>
        <span>
          {t('fleet.charged')} <Money credits={gateway.charged_credits} />
        </span>
      </p>
      {(state === 'gone' || state === 'awaited') && <Doubt gateway={gateway} />}
    </div>
  )
}

function Doubt({ gateway: { id, place, doubt_credits: doubt } }: { readonly gateway: FleetGateway }) {
  const { t } = useTranslation('settings')
  const [as, setAs] = useState<'charged' | 'free'>()
  const settle = useAction('settleGateway', { done: t('fleet.settled'), invalidates: ['showFleet'] })
  return (
    <div className="flex flex-wrap items-center gap-2 text-xs">
      <span className="min-w-0 flex-1">
        {t('fleet.doubt')} <Money credits={doubt} />
      </span>
      <Button size="small" onClick={() => setAs('charged')}>
        {t('fleet.charge')}
      </Button>
      <Button size="small" onClick={() => setAs('free')}>
        {t('fleet.leave')}
      </Button>
      {as !== undefined && (
        <Confirm
          isOpen
          onOpenChange={() => setAs(undefined)}
          title={t('fleet.settleTitle', { place })}
          description={t(as === 'charged' ? 'fleet.chargeText' : 'fleet.leaveText')}
          action={t(as === 'charged' ? 'fleet.charge' : 'fleet.leave')}
          isBusy={settle.isPending}
          problem={settle.error?.message}
          onConfirm={() => settle.mutate({ id, body: { as } })}
        />
      )}
    </div>
  )
}
