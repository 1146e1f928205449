// The one page of whoever signed in with a key alone: what the key has left, what it may do, how tools are set up with it.

import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState, type ReactElement } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '#contract/schemas.ts'
import { forgetSession } from '#renderer/api/session.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { useCommands } from '#renderer/app/commands.tsx'
import { After } from '#renderer/components/after.tsx'
import { Answer } from '#renderer/components/answer.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Confirm } from '#renderer/components/confirm.tsx'
import { OwnLimits } from '#renderer/components/own-limits.tsx'
import { PackageFacts } from '#renderer/components/package-facts.tsx'
import { PageHeader } from '#renderer/components/page-header.tsx'
import { ErrorState, Loading, StaleMark } from '#renderer/components/states.tsx'
import { packageOf } from '#renderer/data/key-list.ts'
import { ownZone } from '#renderer/data/zone-dates.ts'
import { BalanceFacts, KeyFacts } from '#renderer/pages/keys/KeyFacts.tsx'
import { KeyState } from '#renderer/pages/keys/KeyState.tsx'
import { RequestList, useRecent } from '#renderer/pages/keys/RecentRequests.tsx'
import { SetUp } from '#renderer/pages/own-key/SetUp.tsx'

const EVERY_MS = 5000
/** As in the shell, which asks for the same and shares the answer. */
const OVERVIEW_EVERY_MS = 15_000

export function OwnKeyPage() {
  const { t } = useTranslation('keys')
  const keys = useApi('listKeys', {}, { everyMs: EVERY_MS })
  // A key sees itself and no other.
  const item = keys.data?.[0]
  if (item !== undefined) {
    return <KeyCards item={item} stale={keys.isError && <StaleMark atMs={keys.dataUpdatedAt} />} />
  }
  return (
    <>
      <PageHeader title={t('own.title')} />
      {keys.isError ? (
        <ErrorState title={t('failedOne')} onRetry={() => void keys.refetch()}>
          {keys.error.message}
        </ErrorState>
      ) : (
        <Loading lines={9} />
      )}
    </>
  )
}

type KeyCardsProps = { readonly item: KeyView; readonly stale: false | ReactElement }

function KeyCards({ item, stale }: KeyCardsProps) {
  const { t } = useTranslation('keys')
  const packages = useApi('listPackages', {})
  const overview = useApi('overview', {}, { everyMs: OVERVIEW_EVERY_MS })
  const { usage, refused } = useRecent(item)
  const found = packageOf(item, packages.data)
  const [isRevoking, setIsRevoking] = useState(false)
  useCommands(useMemo(() => [{ id: 'revoke', label: t('own.revoke'), run: () => setIsRevoking(true) }], [t]))
  return (
    <>
      <PageHeader
        title={t('own.titleOf', { name: item.name })}
        description={t('own.description')}
        zone={ownZone()}
        actions={
          <>
            {stale}
            <KeyState status={item.status} />
            <code className="font-mono text-xs text-muted">…{item.hint}</code>
            <Button look="danger" onClick={() => setIsRevoking(true)}>
              {t('action.revoke')}
            </Button>
          </>
        }
      />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <Card title={t('balance.title')}>
            <BalanceFacts item={item} />
          </Card>
          <Card title={t('details')}>
            <KeyFacts item={item} />
          </Card>
          <Card title={t('recent.title')}>
            <RequestList item={item} />
          </Card>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <After isReady={!usage.isLoading && !refused.isLoading} where="stacked">
            <Card title={t('packageTitle', { name: item.package })}>
              <Answer of={packages} lines={6}>
                {() =>
                  found === undefined ? (
                    <p className="text-sm text-muted">{t('packageHidden')}</p>
                  ) : (
                    <PackageFacts item={found} />
                  )
                }
              </Answer>
            </Card>
            <After isReady={!packages.isLoading && !overview.isLoading}>
              <OwnLimits overview={overview.data} />
              <SetUp entity={found} />
            </After>
          </After>
        </div>
      </div>
      {isRevoking && <RevokeOwn item={item} onClose={() => setIsRevoking(false)} />}
    </>
  )
}

/** With the key the session ends, so that nothing is asked for afterwards. */
function RevokeOwn({ item, onClose }: { readonly item: KeyView; readonly onClose: () => void }) {
  const { t } = useTranslation('keys')
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const { id, name } = item
  const revoke = useAction('revokeKey', {
    done: t('done.revoke', { name }),
    invalidates: [],
    showsOwnErrors: true,
    onDone: () => {
      forgetSession(queryClient)
      void navigate({ to: '/sign-in' })
    },
  })
  return (
    <Confirm
      isOpen
      onOpenChange={onClose}
      title={t('revoke.title', { name })}
      description={`${t('revoke.text')} ${t('own.revokeText')}`}
      action={t('action.revoke')}
      typed={name}
      isBusy={revoke.isPending}
      problem={revoke.error?.message}
      onConfirm={() => revoke.mutate({ id })}
    />
  )
}
