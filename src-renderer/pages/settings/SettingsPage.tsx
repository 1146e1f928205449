import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '#renderer/api/session.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { useCommands } from '#renderer/app/commands.tsx'
import { After } from '#renderer/components/after.tsx'
import { PageHeader } from '#renderer/components/page-header.tsx'
import { Account } from '#renderer/pages/settings/Account.tsx'
import { AlertsCard } from '#renderer/pages/settings/AlertsCard.tsx'
import { BackupCard } from '#renderer/pages/settings/BackupCard.tsx'
import { BrowserCard } from '#renderer/pages/settings/BrowserCard.tsx'
import { FleetCard } from '#renderer/pages/settings/FleetCard.tsx'
import { Installation } from '#renderer/pages/settings/Installation.tsx'
import { LanCard } from '#renderer/pages/settings/LanCard.tsx'
import { LedgerCard } from '#renderer/pages/settings/LedgerCard.tsx'
import { MailboxesCard } from '#renderer/pages/settings/MailboxesCard.tsx'
import { SecretsCard } from '#renderer/pages/settings/SecretsCard.tsx'
import { SettingsTable } from '#renderer/pages/settings/SettingsTable.tsx'
import { WebhooksCard } from '#renderer/pages/settings/WebhooksCard.tsx'

/** This browser and one's own account for everybody; the gateway itself for administrators. */
export function SettingsPage() {
  const { t } = useTranslation('settings')
  const session = useSession()
  return (
    <>
      <PageHeader title={t('title')} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <BrowserCard />
        {session !== undefined && <Account session={session} />}
        {session?.role === 'administrator' && <GatewayCards />}
      </div>
    </>
  )
}

const route = getRouteApi('/shell/settings')

function GatewayCards() {
  const { t } = useTranslation('settings')
  const { open } = route.useSearch()
  const settings = useApi('showSettings', {})
  const status = useApi('status', {})
  // As in their cards, which share the answers.
  const lan = useApi('showLan', {})
  const thresholds = useApi('listThresholds', {})
  const webhooks = useApi('listWebhooks', {})
  const mailboxes = useApi('listMailboxes', {})
  const [verifying, setVerifying] = useState(0)
  useCommands(
    useMemo(() => [{ id: 'verify', label: t('ledger.verify'), run: () => setVerifying((count) => count + 1) }], [t]),
  )
  const error = settings.isError && settings.data === undefined ? settings.error : undefined
  return (
    <>
      <Installation settings={settings.data} error={error} onRetry={() => void settings.refetch()} />
      <After isReady={!settings.isLoading} where="stacked">
        <LanCard />
      </After>
      <After isReady={!settings.isLoading && !lan.isLoading}>
        <LedgerCard status={status.data} asked={verifying} />
        <After isReady={!status.isLoading}>
          <BackupCard dataDir={settings.data?.data_dir} />
          <AlertsCard />
          <After isReady={!thresholds.isLoading}>
            <div className="flex flex-col gap-4">
              <WebhooksCard />
              <After isReady={!webhooks.isLoading}>
                <MailboxesCard />
              </After>
            </div>
          </After>
          <After isReady={!thresholds.isLoading && !webhooks.isLoading && !mailboxes.isLoading}>
            <SecretsCard status={status.data} />
            <SettingsTable
              settings={settings.data?.settings}
              error={error}
              onRetry={() => void settings.refetch()}
              open={open}
            />
            <FleetCard />
          </After>
        </After>
      </After>
    </>
  )
}
