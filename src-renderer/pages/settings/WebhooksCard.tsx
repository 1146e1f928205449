// The webhooks that are told of alerts, and what is on its way to them.

import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApi } from '#renderer/api/use-api.ts'
import { Answer } from '#renderer/components/answer.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { AddWebhook } from '#renderer/pages/settings/AddWebhook.tsx'
import { ReceiverList } from '#renderer/pages/settings/ReceiverList.tsx'

const EVERY_MS = 10_000

export function WebhooksCard() {
  const { t } = useTranslation('settings')
  const webhooks = useApi('listWebhooks', {}, { everyMs: EVERY_MS })
  const [isAdding, setIsAdding] = useState(false)
  return (
    <Card title={t('webhooks.title')}>
      <p className="-mt-2 pb-3 text-muted">{t('webhooks.text')}</p>
      <Answer of={webhooks} lines={2}>
        {(known) => <ReceiverList kind="webhooks" receivers={known} placeOf={({ url }) => [url]} />}
      </Answer>
      <Button onClick={() => setIsAdding(true)}>{t('webhooks.add')}</Button>
      {isAdding && <AddWebhook onClose={() => setIsAdding(false)} />}
    </Card>
  )
}
