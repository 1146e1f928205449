import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { UsageReport } from '#contract/reports.ts'
import { useFilterChoices } from '#renderer/api/use-filter-choices.ts'
import { useCommands } from '#renderer/app/commands.tsx'
import { Button } from '#renderer/components/button.tsx'
import { PageHeader } from '#renderer/components/page-header.tsx'
import { saveJson, saveText } from '#renderer/components/save-text.ts'
import { csvText } from '#contract/csv.ts'
import { isoIn } from '#renderer/data/intervals.ts'
import { fileNameOf } from '#renderer/data/member-usage.ts'
import { csvLines, groupTable, intervalTable, sorted, type UsageTable } from '#renderer/data/usage-table.ts'
import { linkTo, linkToBar, type LinkContext } from '#renderer/pages/usage/links.ts'
import {
  FILTERS,
  filtersOf,
  parseSearch,
  WORD_FILTERS,
  type UsageSearch,
  type UsageSearchChange,
} from '#renderer/pages/usage/search.ts'
import { MonthPicture } from '#renderer/pages/usage/MonthPicture.tsx'
import { sortOf } from '#renderer/pages/usage/sort.ts'
import { UsageCard } from '#renderer/pages/usage/UsageCard.tsx'
import { UsageControls } from '#renderer/pages/usage/UsageControls.tsx'
import { UsageFilters } from '#renderer/pages/usage/UsageFilters.tsx'
import { UsageTableCard } from '#renderer/pages/usage/UsageTableCard.tsx'
import { useUsage, type Usage } from '#renderer/pages/usage/use-usage.ts'
import { useWords, type UsageWords } from '#renderer/pages/usage/use-words.ts'

const route = getRouteApi('/shell/usage')
const NO_FILTERS: UsageSearchChange = Object.fromEntries([...FILTERS, ...WORD_FILTERS].map((name) => [name, undefined]))

export function UsagePage() {
  const { t } = useTranslation('usage')
  const search = route.useSearch()
  const change = useChange()
  const choices = useFilterChoices()
  const navigate = useNavigate()
  const usage = useUsage(search)
  const { report, measure, range } = usage
  const words = useWords(report, measure)
  const table = useTable(usage, search, words)
  const links: LinkContext | undefined = report && { search, range, report, measure, choices }
  const save = useSave(usage, table, words)
  const clear = useCallback(() => change(NO_FILTERS), [change])
  useCommands(
    useMemo(
      () => [
        { id: 'csv', label: t('saveCsv'), run: save },
        { id: 'clear', label: t('clear'), run: clear },
      ],
      [clear, save, t],
    ),
  )
  const pick = (index: number, seriesId: string) => {
    const to = links && linkToBar(index, seriesId, links)
    if (to !== undefined) void navigate({ to: '/requests', search: to })
  }
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        zone={report?.time_zone ?? null}
        actions={
          <>
            <Button onClick={save} disabled={table === undefined}>
              <Download aria-hidden />
              {t('csv')}
            </Button>
            <MonthPicture zone={report?.time_zone} filters={filtersOf(search)} />
            {/* As the gateway gave it, with its range, its zone and every point. */}
            <Button
              onClick={() => report && saveJson(`${fileNameOf('usage', report)}.json`, report)}
              disabled={report === undefined}
            >
              <Download aria-hidden />
              {t('json')}
            </Button>
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <UsageControls search={search} usage={usage} onChange={change} />
        <UsageFilters values={filtersOf(search)} choices={choices} onChange={change} onClear={clear} />
        <UsageCard usage={usage} words={words} onPick={pick} />
        {table !== undefined && links !== undefined && (
          <UsageTableCard
            table={table}
            words={words}
            search={search}
            usage={usage}
            linkOf={(head) => linkTo(head, links)}
            onChange={change}
          />
        )}
      </div>
    </>
  )
}

function useChange(): (change: UsageSearchChange) => void {
  const navigate = useNavigate()
  return useCallback(
    (change) =>
      void navigate({ to: '/usage', search: (before) => parseSearch({ ...before, ...change }), replace: true }),
    [navigate],
  )
}

/** What is shown and saved; undefined while there is nothing to show. */
function useTable(usage: Usage, search: UsageSearch, words: UsageWords): UsageTable | undefined {
  const { report, measure, series, before } = usage
  return useMemo(() => {
    if (report === undefined || report.totals.requests + report.previous.requests === 0) return undefined
    const isByInterval = report.group === 'none' || (search.table === 'intervals' && report.group !== 'session')
    const table = isByInterval ? intervalTable(report, { measure, series, before }) : groupTable(report, measure)
    return sorted(table, sortOf(search.sort), words.headText)
  }, [before, measure, report, search.sort, search.table, series, words])
}

function useSave({ report }: Usage, table: UsageTable | undefined, words: UsageWords): () => void {
  const { t } = useTranslation('usage')
  return useCallback(() => {
    if (report === undefined || table === undefined) return
    const zone = report.time_zone
    const isByInterval = table.rows[0]?.head.type === 'interval'
    const lines = csvLines(table, {
      head: (head) => (head.type === 'interval' ? isoIn(zone, head.startMs) : words.headText(head)),
      headColumn: isByInterval ? t('columns.time', { zone }) : headOfGroups(t(`groups.${report.group}`), report),
      columns: (column) => {
        const label = words.columnLabel(column)
        if (column.type === 'share') return [`${label} (%)`]
        const withUnit = `${label} (${words.unitLabel(column.measure)})`
        return column.type === 'change' ? [withUnit, `${label} (%)`] : [withUnit]
      },
      total: t('total'),
    })
    saveText(`${fileNameOf('usage', report)}.csv`, 'text/csv', csvText(lines))
  }, [report, t, table, words])
}

/** Where no line says a time, the head says of which time all of them are. */
function headOfGroups(label: string, { from, to, time_zone: zone }: UsageReport): string {
  return `${label} (${isoIn(zone, Date.parse(from))}/${isoIn(zone, Date.parse(to))} ${zone})`
}
