import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Coins, Download, RotateCw } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '#renderer/api/session.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { useLedger } from '#renderer/api/use-ledger.ts'
import { useCommands } from '#renderer/app/commands.tsx'
import { Button } from '#renderer/components/button.tsx'
import { ListPage } from '#renderer/components/list-page.tsx'
import { EmptyState } from '#renderer/components/states.tsx'
import { useLedgerColumns } from '#renderer/pages/ledger/columns.tsx'
import { ExportLedger } from '#renderer/pages/ledger/ExportLedger.tsx'
import { LedgerEnd } from '#renderer/pages/ledger/LedgerEnd.tsx'
import { LedgerFilters } from '#renderer/pages/ledger/LedgerFilters.tsx'
import { parseSearch } from '#renderer/pages/ledger/search.ts'
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
  const [isExporting, setIsExporting] = useState(false)
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
    <ListPage
      title={t('title')}
      description={t('description')}
      failed={t('failed')}
      list={ledger}
      staleAtMs={ledger.isNewestUnknown && entries !== undefined ? ledger.askedAtMs : null}
      actions={
        <>
          {ledger.hasNewer && (
            <Button onClick={() => void ledger.refetch()} isBusy={ledger.isRefetching}>
              <RotateCw aria-hidden />
              {t('newer')}
            </Button>
          )}
          <Button onClick={() => setIsExporting(true)}>
            <Download aria-hidden />
            {t('exportCsv')}
          </Button>
          {isAdministrator && <VerifyButton isBusy={verification.isPending} onClick={command.run} />}
        </>
      }
      notice={<VerifyResult verification={verification} />}
      filters={
        <LedgerFilters
          keys={keys}
          filter={search}
          onChange={(change) => void navigate({ search: (now) => parseSearch({ ...now, ...change }), replace: true })}
          onClear={() => void navigate({ search: {}, replace: true })}
        />
      }
      columns={columns}
      items={isSearching ? undefined : entries}
      idOf={(entry) => String(entry.seq)}
      onEnd={ledger.goOn}
      heightClass="max-h-[64vh]"
      empty={<NoEntries isFiltered={Object.keys(search).length > 0} />}
      foot={entries !== undefined && entries.length > 0 && <LedgerEnd ledger={ledger} count={entries.length} />}
    >
      {isExporting && <ExportLedger filter={search} onClose={() => setIsExporting(false)} />}
    </ListPage>
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
