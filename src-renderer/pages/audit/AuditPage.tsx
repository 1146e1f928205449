import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { RefreshCw, ScrollText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useApi } from '#renderer/api/use-api.ts'
import { usePages } from '#renderer/api/use-pages.ts'
import { Button } from '#renderer/components/button.tsx'
import { ListPage } from '#renderer/components/list-page.tsx'
import { EmptyState } from '#renderer/components/states.tsx'
import { AuditEntry } from '#renderer/pages/audit/AuditEntry.tsx'
import { AuditFilters } from '#renderer/pages/audit/AuditFilters.tsx'
import { useColumns } from '#renderer/pages/audit/columns.tsx'
import { parseSearch, type AuditSearchChange } from '#renderer/pages/audit/search.ts'

const route = getRouteApi('/shell/audit')

/** Who changed what, and what became of it. */
export function AuditPage() {
  const { t } = useTranslation('audit')
  const search = route.useSearch()
  const navigate = useNavigate()
  const { open, ...filter } = search
  const audit = usePages('listAudit', filter)
  const members = useApi('listMembers', {})
  const columns = useColumns()
  const entries = audit.data?.pages.flatMap((page) => page.entries)
  const change = (part: AuditSearchChange) =>
    void navigate({
      to: '/audit',
      search: (now) => parseSearch({ ...now, ...part }),
      replace: true,
      resetScroll: false,
    })
  const isFiltered = filter.action !== undefined || filter.actor !== undefined
  return (
    <ListPage
      title={t('title')}
      description={t('description')}
      failed={t('failed')}
      list={audit}
      staleAtMs={null}
      actions={
        <Button isBusy={audit.isFetching} onClick={() => void audit.refetch()}>
          <RefreshCw aria-hidden />
          {t('refresh')}
        </Button>
      }
      filters={<AuditFilters filter={filter} members={members.data?.map(({ name }) => name) ?? []} onChange={change} />}
      columns={columns}
      items={entries}
      idOf={(entry) => entry.id}
      openId={open}
      onEnd={audit.goOn}
      onOpen={(entry) => change({ open: entry.id })}
      empty={
        <EmptyState icon={ScrollText} title={t(isFiltered ? 'noneFiltered' : 'none')}>
          {t(isFiltered ? 'noneFilteredHow' : 'noneHow')}
        </EmptyState>
      }
    >
      <AuditEntry entry={entries?.find(({ id }) => id === open)} onClose={() => change({ open: undefined })} />
    </ListPage>
  )
}
