import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ToolScan } from '#contract/tools.ts'
import { DataTable, type Column } from '#renderer/components/data-table.tsx'
import { StatTile, TileRow } from '#renderer/components/stat-tile.tsx'
import { Segments } from '#renderer/components/tabs.tsx'
import { Tokens } from '#renderer/components/tokens.tsx'
import { microOf, moneyText } from '#renderer/data/money.ts'
import { countText } from '#renderer/data/numbers.ts'
import { scanRows, type ScanRow } from '#renderer/data/scan-rows.ts'

const GROUPS = ['model', 'day', 'project', 'tool'] as const
type Group = (typeof GROUPS)[number]

/** The sums of a scan. */
export function ScanResult({ scan }: { readonly scan: ToolScan }) {
  const { t, i18n } = useTranslation('tools')
  const [group, setGroup] = useState<Group>('model')
  const columns = useScanColumns(group)
  const { total, price_card: date, files, uncounted } = scan
  const fileCount = Object.values(files).reduce((sum, count) => sum + count, 0)
  if (total.calls === 0) {
    return (
      <>
        <p className="text-sm">{t('scan.none')}</p>
        {uncounted.length > 0 && (
          <p className="text-sm break-words text-muted">{t('scan.uncounted', { tools: uncounted.join(', ') })}</p>
        )}
      </>
    )
  }
  return (
    <>
      <TileRow>
        <StatTile label={t('scan.cost')} value={<Dollars credits={total.credits} />}>
          {t('scan.costText', { date })}
        </StatTile>
        <StatTile label={t('scan.calls')} value={countText(total.calls, i18n.language)}>
          {t('scan.files', { count: fileCount })}
        </StatTile>
        <StatTile
          label={t('scan.input')}
          value={<Tokens count={total.input_tokens + total.cache_read_tokens + total.cache_write_tokens} />}
        />
        <StatTile label={t('scan.output')} value={<Tokens count={total.output_tokens} />} />
      </TileRow>
      <div>
        <Segments
          label={t('scan.by')}
          value={group}
          onChange={setGroup}
          choices={GROUPS.map((value) => ({ value, label: t(`scan.groups.${value}`) }))}
        />
      </div>
      <div className="overflow-hidden rounded-md border border-line">
        <DataTable
          key={group}
          label={t('scan.table')}
          columns={columns}
          items={scanRows(scan.by[group])}
          idOf={({ id }) => id}
          empty={null}
        />
      </div>
      <Remarks scan={scan} />
    </>
  )
}

function Remarks({ scan: { unpriced, skipped, uncounted, is_partial: isPartial } }: { readonly scan: ToolScan }) {
  const { t } = useTranslation('tools')
  const remarks = [
    t('scan.through'),
    ...(unpriced.length === 0 ? [] : [t('scan.unpriced', { models: unpriced.join(', ') })]),
    ...(skipped.lines === 0 ? [] : [t('scan.skippedLines', { count: skipped.lines })]),
    ...(skipped.files === 0 ? [] : [t('scan.skippedFiles', { count: skipped.files })]),
    ...(uncounted.length === 0 ? [] : [t('scan.uncounted', { tools: uncounted.join(', ') })]),
    ...(isPartial ? [t('scan.partial')] : []),
  ]
  return (
    <ul className="flex flex-col gap-1 text-sm break-words text-muted">
      {remarks.map((remark) => (
        <li key={remark}>{remark}</li>
      ))}
    </ul>
  )
}

function useScanColumns(group: Group): readonly Column<ScanRow>[] {
  const { t, i18n } = useTranslation('tools')
  return useMemo(() => {
    const tokens = (id: string, header: string, count: (row: ScanRow) => number, className?: string) => ({
      id,
      header,
      cell: (row: ScanRow) => <Tokens count={count(row)} />,
      sortBy: count,
      align: 'right' as const,
      ...(className !== undefined && { className }),
    })
    return [
      {
        id: 'name',
        header: t(`scan.groups.${group}`),
        cell: ({ name, isOthers }) => (
          <span className="break-all">{isOthers ? t('scan.others') : name === '' ? t('scan.unknownName') : name}</span>
        ),
        sortBy: ({ name }) => name,
      },
      {
        id: 'calls',
        header: t('scan.calls'),
        cell: ({ calls }) => countText(calls, i18n.language),
        sortBy: ({ calls }) => calls,
        align: 'right',
      },
      tokens('input', t('scan.input'), (row) => row.input_tokens, 'max-sm:hidden'),
      tokens('read', t('scan.column.cacheRead'), (row) => row.cache_read_tokens, 'max-lg:hidden'),
      tokens('written', t('scan.column.cacheWrite'), (row) => row.cache_write_tokens, 'max-lg:hidden'),
      tokens('output', t('scan.output'), (row) => row.output_tokens, 'max-sm:hidden'),
      {
        id: 'usd',
        header: t('scan.column.usd'),
        cell: ({ credits }) => <Dollars credits={credits} />,
        sortBy: ({ credits }) => credits ?? -1,
        align: 'right',
      },
    ]
  }, [t, i18n.language, group])
}

/** The price card is in US dollars, whatever a credit is worth here. */
function Dollars({ credits }: { readonly credits: number | null }) {
  const { t, i18n } = useTranslation('common')
  const micro = credits === null ? undefined : microOf(credits)
  if (micro === undefined) {
    return (
      <span className="text-muted" title={t('unknown')}>
        –
      </span>
    )
  }
  return (
    <span className="whitespace-nowrap tabular-nums" title={`${moneyText(micro, i18n.language, 'exact')} USD`}>
      {moneyText(micro, i18n.language)}
    </span>
  )
}
