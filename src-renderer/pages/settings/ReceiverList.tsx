// Webhooks or mailboxes: who is told of alerts, what is on its way to them, a test of each, and taking one away.

import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WebhookTested, WebhookView } from '#contract/alerts.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Status } from '#renderer/components/badge.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Confirm } from '#renderer/components/confirm.tsx'
import { Time } from '#renderer/components/time.tsx'
import { countText } from '#renderer/data/numbers.ts'

const ACTIONS = {
  webhooks: { list: 'listWebhooks', test: 'testWebhook', remove: 'removeWebhook' },
  mailboxes: { list: 'listMailboxes', test: 'testMailbox', remove: 'removeMailbox' },
} as const

type ReceiverKind = keyof typeof ACTIONS

type ReceiverListProps<Receiver> = {
  readonly kind: ReceiverKind
  readonly receivers: readonly Receiver[]
  /** Where it is and how it is reached, in lines. */
  readonly placeOf: (receiver: Receiver) => readonly string[]
}

export function ReceiverList<Receiver extends WebhookView>({ kind, receivers, placeOf }: ReceiverListProps<Receiver>) {
  const { t } = useTranslation('settings')
  if (receivers.length === 0) return <p className="pb-3 text-muted">{t(`${kind}.none`)}</p>
  return (
    <ul className="pb-3">
      {receivers.map((receiver) => (
        <li key={receiver.id} className="flex flex-col gap-1 border-b border-line py-2 last:border-b-0">
          <ReceiverRow kind={kind} receiver={receiver} place={placeOf(receiver)} />
        </li>
      ))}
    </ul>
  )
}

type ReceiverRowProps = {
  readonly kind: ReceiverKind
  readonly receiver: WebhookView
  readonly place: readonly string[]
}

function ReceiverRow({ kind, receiver, place }: ReceiverRowProps) {
  const { t } = useTranslation('settings')
  const { id, name } = receiver
  const [isRemoving, setIsRemoving] = useState(false)
  const test = useAction(ACTIONS[kind].test, { invalidates: [ACTIONS[kind].list] })
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 flex-1 font-medium break-words">{name}</span>
        <Button
          size="small"
          isBusy={test.isPending}
          aria-label={t('receivers.testOf', { name })}
          onClick={() => test.mutate({ id })}
        >
          {t('receivers.test')}
        </Button>
        <Button
          size="small"
          look="danger"
          aria-label={t('receivers.removeOf', { name })}
          onClick={() => setIsRemoving(true)}
        >
          {t('receivers.remove')}
        </Button>
      </div>
      {place.map((line) => (
        <code key={line} className="font-mono text-xs break-all text-muted">
          {line}
        </code>
      ))}
      <DeliveryState receiver={receiver} />
      <div aria-live="polite" className="empty:hidden">
        {test.data !== undefined && !test.isPending && <Tested outcome={test.data} />}
      </div>
      {isRemoving && <RemoveReceiver kind={kind} receiver={receiver} onClose={() => setIsRemoving(false)} />}
    </>
  )
}

type RemoveReceiverProps = Omit<ReceiverRowProps, 'place'> & { readonly onClose: () => void }

function RemoveReceiver({ kind, receiver: { id, name }, onClose }: RemoveReceiverProps) {
  const { t } = useTranslation('settings')
  const remove = useAction(ACTIONS[kind].remove, {
    done: t('receivers.removed', { name }),
    invalidates: [ACTIONS[kind].list],
    showsOwnErrors: true,
  })
  return (
    <Confirm
      isOpen
      onOpenChange={onClose}
      title={t(`${kind}.removeTitle`, { name })}
      description={t(`${kind}.removeText`)}
      action={t('receivers.remove')}
      isBusy={remove.isPending}
      problem={remove.error?.message}
      onConfirm={() => remove.mutate({ id })}
    />
  )
}

function DeliveryState({ receiver: { last, waiting, next_attempt_at: next } }: { readonly receiver: WebhookView }) {
  const { t, i18n } = useTranslation('settings')
  if (last === null && waiting === 0) return <p className="text-xs text-muted">{t('receivers.nothingYet')}</p>
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-xs text-muted">
      {last !== null && (
        <Status tone={last.state === 'delivered' ? 'live' : last.state === 'waiting' ? 'waiting' : 'lost'}>
          {t(`receivers.state.${last.state}`)}
        </Status>
      )}
      {last !== null && last.problem !== null && <span className="break-words">{last.problem}</span>}
      {waiting > 0 && (
        <span>
          {t('receivers.waiting', { count: waiting, text: countText(waiting, i18n.language) })} <Time at={next} />
        </span>
      )}
    </p>
  )
}

function Tested({ outcome: { delivered, problem } }: { readonly outcome: WebhookTested }) {
  const { t } = useTranslation('settings')
  return (
    <p className="flex flex-wrap items-center gap-2 text-xs">
      <Status tone={delivered ? 'live' : 'lost'}>{t(delivered ? 'receivers.taken' : 'receivers.notTaken')}</Status>
      {problem !== null && <span className="break-words text-muted">{problem}</span>}
    </p>
  )
}
