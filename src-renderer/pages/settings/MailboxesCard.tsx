// The mailboxes that are told of alerts by SMTP, and what is on its way to them.

import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MailboxView } from '#contract/alerts.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Answer } from '#renderer/components/answer.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { AddMailbox } from '#renderer/pages/settings/AddMailbox.tsx'
import { ReceiverList } from '#renderer/pages/settings/ReceiverList.tsx'

const EVERY_MS = 10_000

export function MailboxesCard() {
  const { t } = useTranslation('settings')
  const mailboxes = useApi('listMailboxes', {}, { everyMs: EVERY_MS })
  const [isAdding, setIsAdding] = useState(false)
  const placeOf = ({ from, to, url, user, plain }: MailboxView) => [
    `${from} → ${to}`,
    [user === null ? url : t('mailboxes.as', { url, user }), ...(plain ? [t('mailboxes.unencrypted')] : [])].join(', '),
  ]
  return (
    <Card title={t('mailboxes.title')}>
      <p className="-mt-2 pb-3 text-muted">{t('mailboxes.text')}</p>
      <Answer of={mailboxes} lines={2}>
        {(known) => <ReceiverList kind="mailboxes" receivers={known} placeOf={placeOf} />}
      </Answer>
      <Button onClick={() => setIsAdding(true)}>{t('mailboxes.add')}</Button>
      {isAdding && <AddMailbox onClose={() => setIsAdding(false)} />}
    </Card>
  )
}
