import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { RefreshCw, ScrollText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useApi } from '#renderer/api/use-api.ts'
import { useAudit } from '#renderer/api/use-audit.ts'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { DataTable } from '#renderer/components/data-table.tsx'
import { PageHeader } from '#renderer/components/page-header.tsx'
import { EmptyState } from '#renderer/components/states.tsx'
import { AuditEntry } from '#renderer/pages/audit/AuditEntry.tsx'
import { AuditFilters } from '#renderer/pages/audit/AuditFilters.tsx'
import { useColumns } from '#renderer/pages/audit/columns.tsx'
import type { AuditSearch } from '#renderer/pages/audit/search.ts'

const route = getRouteApi('/shell/audit')

/** Who changed what, and what became of it. */
export function AuditPage() {
  const { t } = useTranslation('audit')
  const search = route.useSearch()
  const navigate = useNavigate()
  const { open, ...filter } = search
  const audit = useAudit(filter)
  const members = useApi('listMembers', {})
  const columns = useColumns()
  const entries = audit.data?.pages.flatMap((page) => page.entries)
  const change = (next: AuditSearch) => void navigate({ to: '/audit', search: next, replace: true, resetScroll: false })
  const isFiltered = filter.action !== undefined || filter.actor !== undefined
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        zone={Intl.DateTimeFormat().resolvedOptions().timeZone}
        actions={
          <Button isBusy={audit.isFetching} onClick={() => void audit.refetch()}>
            <RefreshCw aria-hidden />
            {t('refresh')}
          </Button>
        }
      />
      <Card isFlush>
        <AuditFilters filter={filter} members={members.data?.map(({ name }) => name) ?? []} onChange={change} />
        <DataTable
          label={t('title')}
          columns={columns}
          items={entries}
          idOf={(entry) => entry.id}
          openId={open}
          onEnd={audit.goOn}
          onOpen={(entry) => change({ ...filter, open: entry.id })}
          empty={
            <EmptyState icon={ScrollText} title={t(isFiltered ? 'noneFiltered' : 'none')}>
              {t(isFiltered ? 'noneFilteredHow' : 'noneHow')}
            </EmptyState>
          }
          error={
            audit.isError
              ? { title: t('failed'), text: audit.error.message, onRetry: () => void audit.refetch() }
              : undefined
          }
        />
      </Card>
      <AuditEntry entry={entries?.find(({ id }) => id === open)} onClose={() => change(filter)} />
    </>
  )
}
