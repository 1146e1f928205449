import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { useHues } from '#renderer/components/charts/use-hues.ts'
import { cn } from '#renderer/components/cn.ts'
import { Cell, HeadCell, Row, Table } from '#renderer/components/table.tsx'
import { Segments } from '#renderer/components/tabs.tsx'
import { countText } from '#renderer/data/numbers.ts'
import { hueColour, huesFor } from '#renderer/data/hues.ts'
import type { RowHead, UsageTable } from '#renderer/data/usage-table.ts'
import type { RequestsSearch } from '#renderer/pages/requests/search.ts'
import type { UsageSearch, UsageSearchChange } from '#renderer/pages/usage/search.ts'
import { NarrowRow } from '#renderer/pages/usage/NarrowRow.tsx'
import { nextSort, sortOf } from '#renderer/pages/usage/sort.ts'
import { SortHead } from '#renderer/pages/usage/SortHead.tsx'
import { UsageCell, placesOf } from '#renderer/pages/usage/UsageCell.tsx'
import type { Usage } from '#renderer/pages/usage/use-usage.ts'
import type { UsageWords } from '#renderer/pages/usage/use-words.ts'

type UsageTableCardProps = {
  readonly table: UsageTable
  readonly words: UsageWords
  readonly search: UsageSearch
  readonly usage: Usage
  readonly linkOf: (head: RowHead) => RequestsSearch | undefined
  readonly onChange: (change: UsageSearchChange) => void
}

export function UsageTableCard(props: UsageTableCardProps) {
  const { table, search, usage, onChange } = props
  const { t } = useTranslation('usage')
  // Sessions have no course of time, so that there is nothing to choose.
  const hasBoth = usage.report?.group !== 'none' && usage.report?.group !== 'session'
  const hasMore = usage.report?.series.some((one) => one.kind === 'other') === true && search.groups === undefined
  const isByGroup = table.rows[0]?.head.type === 'group'
  return (
    <Card
      title={t('table')}
      isFlush
      actions={
        hasBoth ? (
          <Segments
            label={t('tableBy')}
            value={search.table ?? 'groups'}
            onChange={(value) => onChange({ table: value, sort: undefined })}
            choices={(['groups', 'intervals'] as const).map((value) => ({ value, label: t(`tables.${value}`) }))}
          />
        ) : undefined
      }
    >
      <Numbers {...props} />
      <RefusedNote report={usage.report} />
      {hasMore && isByGroup && (
        <div className="border-t border-line p-2 text-center">
          <Button look="quiet" size="small" onClick={() => onChange({ groups: 'more' })}>
            {t('moreGroups')}
          </Button>
        </div>
      )}
    </Card>
  )
}

/** Requests that were no calls, so that no row above has them. */
function RefusedNote({ report }: Pick<Usage, 'report'>) {
  const { t, i18n } = useTranslation('usage')
  const count = report?.refused ?? 0
  if (report === undefined || count === 0) return null
  return (
    <p className="border-t border-line px-3 py-2 text-sm text-muted">
      {t('refused', { count, shown: countText(count, i18n.language) })}{' '}
      <Link
        to="/requests"
        search={{ since: report.from, until: report.to }}
        className="text-accent underline underline-offset-2"
      >
        {t('refusedShow')}
      </Link>
    </p>
  )
}

/** Keeps the names in sight while the numbers scroll sideways. */
const FIRST = 'sticky left-0 z-10 bg-surface'
/** What the amount leaves; long names are cut before that is. */
const NARROW = 'first:pl-4 max-sm:w-full max-sm:max-w-0'

function Numbers({ table, words, search, usage, linkOf, onChange }: UsageTableCardProps) {
  const { t } = useTranslation('usage')
  const order = sortOf(search.sort)
  const sort = (column: string) => onChange({ sort: nextSort(column, order) })
  const places = table.columns.map((_, index) => placesOf([...table.rows.map((row) => row.cells), table.totals], index))
  const isByInterval = table.rows[0]?.head.type === 'interval'
  return (
    <div role="region" aria-label={t('table')} tabIndex={0} className="relative max-h-[70vh] overflow-auto">
      <Table aria-label={t('table')}>
        <thead className="sticky top-0 z-20 bg-surface">
          <tr>
            <SortHead id="head" order={order} onSort={sort} className={cn(FIRST, 'z-20')}>
              {isByInterval ? t('time') : t(`groups.${usage.report?.group ?? 'none'}`)}
            </SortHead>
            {table.columns.map((column, index) => (
              <SortHead
                key={column.id}
                id={column.id}
                order={order}
                onSort={sort}
                align="right"
                className={hiddenIf(index)}
              >
                {words.columnLabel(column)}
              </SortHead>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row) => (
            <Fragment key={row.id}>
              <Row className="max-sm:border-b-0">
                <th scope="row" className={cn(FIRST, 'h-row max-w-56 px-3 py-1 text-left font-normal', NARROW)}>
                  <HeadText head={row.head} words={words} usage={usage} link={linkOf(row.head)} />
                </th>
                <Numerals {...{ table, places }} cells={row.cells} />
              </Row>
              <NarrowRow columns={table.columns} cells={row.cells} places={places} words={words} />
            </Fragment>
          ))}
        </tbody>
        <tfoot className="sticky bottom-0 z-10 bg-surface font-medium">
          <tr className="*:shadow-[inset_0_1px_var(--line-strong)]">
            <HeadCell scope="row" className={cn(FIRST, 'border-b-0 text-sm text-ink')}>
              {t('total')}
            </HeadCell>
            <Numerals {...{ table, places }} cells={table.totals} />
          </tr>
          <NarrowRow columns={table.columns} cells={table.totals} places={places} words={words} />
        </tfoot>
      </Table>
    </div>
  )
}

type NumeralsProps = {
  readonly table: UsageTable
  readonly cells: UsageTable['totals']
  readonly places: readonly number[]
}

function Numerals({ table, cells, places }: NumeralsProps) {
  return cells.map((cell, index) => (
    <Cell key={table.columns[index]?.id} align="right" className={cn('whitespace-nowrap', hiddenIf(index))}>
      <UsageCell cell={cell} places={places[index] ?? 0} />
    </Cell>
  ))
}

/** In a narrow window only the first column stands in the row itself. */
function hiddenIf(index: number): string {
  return index === 0 ? '' : 'max-sm:hidden'
}

type HeadTextProps = {
  readonly head: RowHead
  readonly words: UsageWords
  readonly usage: Usage
  readonly link: RequestsSearch | undefined
}

function HeadText({ head, words, usage, link }: HeadTextProps) {
  const { t } = useTranslation('usage')
  const text = words.headText(head)
  return (
    <span className="flex items-center gap-2">
      {head.type === 'group' && head.kind !== 'all' && <Swatch head={head} usage={usage} />}
      {link === undefined ? (
        <span className="truncate" title={text}>
          {text}
        </span>
      ) : (
        <Link
          to="/requests"
          search={link}
          title={t('toRequests', { what: text })}
          className="truncate underline decoration-line-strong underline-offset-4 hover:decoration-ink"
        >
          {text}
        </Link>
      )}
    </span>
  )
}

/** The colour that the group has in the chart; grey for those that are a part of the rest there. */
function Swatch({ head, usage }: { readonly head: Extract<RowHead, { type: 'group' }>; readonly usage: Usage }) {
  const ids = usage.series.flatMap((one) => (one.kind === 'value' ? [one.id] : []))
  const hues = huesFor(useHues(ids), ids)
  return (
    <span aria-hidden style={{ background: hueColour(hues[head.seriesId]) }} className="size-2.5 shrink-0 rounded-sm" />
  )
}
