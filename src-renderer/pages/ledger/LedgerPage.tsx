import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Coins, RotateCw } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '#renderer/api/session.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { useLedger } from '#renderer/api/use-ledger.ts'
import { useCommands } from '#renderer/app/commands.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { DataTable } from '#renderer/components/data-table.tsx'
import { PageHeader } from '#renderer/components/page-header.tsx'
import { EmptyState, StaleMark } from '#renderer/components/states.tsx'
import { ownZone } from '#renderer/data/zone-dates.ts'
import { useLedgerColumns } from '#renderer/pages/ledger/columns.tsx'
import { LedgerEnd } from '#renderer/pages/ledger/LedgerEnd.tsx'
import { LedgerFilters } from '#renderer/pages/ledger/LedgerFilters.tsx'
import { useVerification, VerifyButton, VerifyResult } from '#renderer/pages/ledger/Verify.tsx'

const route = getRouteApi('/shell/ledger')

export function LedgerPage() {
  const { t } = useTranslation('ledger')
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/ledger' })
  const isAdministrator = useSession()?.role === 'administrator'
  const keys = useApi('listKeys', {}).data
  const ledger = useLedger(search)
  const columns = useLedgerColumns()
  const verification = useVerification()
  const { mutate: verify } = verification
  const command = useMemo(
    () => ({ id: 'verify-ledger', label: t('verify.action'), run: () => verify({}) }),
    [t, verify],
  )
  useCommands(useMemo(() => (isAdministrator ? [command] : []), [isAdministrator, command]))
  const entries = useMemo(() => ledger.data?.pages.flatMap((page) => page.entries), [ledger.data])
  // A page may hold none of what is looked for, and the next one some.
  const isSearching = entries?.length === 0 && ledger.hasNextPage && !ledger.isError && !ledger.isFull
  const { goOn } = ledger
  useEffect(() => {
    if (isSearching) goOn()
  }, [isSearching, goOn])
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        zone={ownZone()}
        actions={
          <>
            {ledger.isNewestUnknown && entries !== undefined && <StaleMark atMs={ledger.askedAtMs} />}
            {ledger.hasNewer && (
              <Button onClick={() => void ledger.refetch()} isBusy={ledger.isRefetching}>
                <RotateCw aria-hidden />
                {t('newer')}
              </Button>
            )}
            {isAdministrator && <VerifyButton isBusy={verification.isPending} onClick={command.run} />}
          </>
        }
      />
      <VerifyResult verification={verification} />
      <Card isFlush>
        <LedgerFilters
          keys={keys}
          filter={search}
          onChange={(filter) => void navigate({ search: filter, replace: true })}
        />
        <DataTable
          label={t('title')}
          columns={columns}
          items={isSearching ? undefined : entries}
          idOf={(entry) => String(entry.seq)}
          onEnd={ledger.goOn}
          heightClass="max-h-[64vh]"
          empty={<NoEntries isFiltered={search.key !== undefined || search.kind !== undefined} />}
          error={
            ledger.isError
              ? { title: t('failed'), text: ledger.error.message, onRetry: () => void ledger.refetch() }
              : undefined
          }
        />
        {entries !== undefined && entries.length > 0 && <LedgerEnd ledger={ledger} count={entries.length} />}
      </Card>
    </>
  )
}

function NoEntries({ isFiltered }: { readonly isFiltered: boolean }) {
  const { t } = useTranslation('ledger')
  if (isFiltered) return <EmptyState icon={Coins} title={t('noneMatch')} />
  return (
    <EmptyState icon={Coins} title={t('none')}>
      {t('noneHint')}
    </EmptyState>
  )
}
