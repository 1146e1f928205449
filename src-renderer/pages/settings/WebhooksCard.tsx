// The webhooks that are told of alerts, and what is on its way to them.

import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WebhookTested, WebhookView } from '#contract/alerts.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Status } from '#renderer/components/badge.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Confirm } from '#renderer/components/confirm.tsx'
import { Loading } from '#renderer/components/states.tsx'
import { Time } from '#renderer/components/time.tsx'
import { countText } from '#renderer/data/numbers.ts'
import { AddWebhook } from '#renderer/pages/settings/AddWebhook.tsx'

const EVERY_MS = 10_000

export function WebhooksCard() {
  const { t } = useTranslation('settings')
  const webhooks = useApi('listWebhooks', {}, { everyMs: EVERY_MS })
  const [isAdding, setIsAdding] = useState(false)
  return (
    <Card title={t('webhooks.title')}>
      <p className="-mt-2 pb-3 text-muted">{t('webhooks.text')}</p>
      {webhooks.data === undefined ? <Loading lines={2} /> : <WebhookList webhooks={webhooks.data} />}
      <Button onClick={() => setIsAdding(true)}>{t('webhooks.add')}</Button>
      {isAdding && <AddWebhook onClose={() => setIsAdding(false)} />}
    </Card>
  )
}

function WebhookList({ webhooks }: { readonly webhooks: readonly WebhookView[] }) {
  const { t } = useTranslation('settings')
  if (webhooks.length === 0) return <p className="pb-3 text-muted">{t('webhooks.none')}</p>
  return (
    <ul className="pb-3">
      {webhooks.map((webhook) => (
        <li key={webhook.id} className="border-b border-line py-2 last:border-b-0">
          <WebhookRow webhook={webhook} />
        </li>
      ))}
    </ul>
  )
}

function WebhookRow({ webhook }: { readonly webhook: WebhookView }) {
  const { t } = useTranslation('settings')
  const { id, name, url } = webhook
  const [isRemoving, setIsRemoving] = useState(false)
  const test = useAction('testWebhook', { invalidates: ['listWebhooks'] })
  const remove = useAction('removeWebhook', { done: t('webhooks.removed', { name }), invalidates: ['listWebhooks'] })
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 flex-1 font-medium break-words">{name}</span>
        <Button
          size="small"
          isBusy={test.isPending}
          aria-label={t('webhooks.testOf', { name })}
          onClick={() => test.mutate({ id })}
        >
          {t('webhooks.test')}
        </Button>
        <Button
          size="small"
          look="danger"
          aria-label={t('webhooks.removeOf', { name })}
          onClick={() => setIsRemoving(true)}
        >
          {t('webhooks.remove')}
        </Button>
      </div>
      <code className="font-mono text-xs break-all text-muted">{url}</code>
      <DeliveryState webhook={webhook} />
      <div aria-live="polite" className="empty:hidden">
        {test.data !== undefined && !test.isPending && <Tested outcome={test.data} />}
      </div>
      {isRemoving && (
        <Confirm
          isOpen
          onOpenChange={setIsRemoving}
          title={t('webhooks.removeTitle', { name })}
          description={t('webhooks.removeText')}
          action={t('webhooks.remove')}
          isBusy={remove.isPending}
          problem={remove.error?.message}
          onConfirm={() => remove.mutate({ id })}
        />
      )}
    </div>
  )
}

function DeliveryState({ webhook: { last, waiting, next_attempt_at: next } }: { readonly webhook: WebhookView }) {
  const { t, i18n } = useTranslation('settings')
  if (last === null && waiting === 0) return <p className="text-xs text-muted">{t('webhooks.nothingYet')}</p>
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-xs text-muted">
      {last !== null && (
        <Status tone={last.state === 'delivered' ? 'live' : last.state === 'waiting' ? 'waiting' : 'lost'}>
          {t(`webhooks.state.${last.state}`)}
        </Status>
      )}
      {last !== null && last.problem !== null && <span className="break-words">{last.problem}</span>}
      {waiting > 0 && (
        <span>
          {t('webhooks.waiting', { count: waiting, text: countText(waiting, i18n.language) })} <Time at={next} />
        </span>
      )}
    </p>
  )
}

function Tested({ outcome: { delivered, problem } }: { readonly outcome: WebhookTested }) {
  const { t } = useTranslation('settings')
  return (
    <p className="flex flex-wrap items-center gap-2 text-xs">
      <Status tone={delivered ? 'live' : 'lost'}>{t(delivered ? 'webhooks.taken' : 'webhooks.notTaken')}</Status>
      {problem !== null && <span className="break-words text-muted">{problem}</span>}
    </p>
  )
}
