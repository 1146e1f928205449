import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { UsageReport } from '#contract/reports.ts'
import { Card } from '#renderer/components/card.tsx'
import { EmptyState, ErrorState, Skeleton } from '#renderer/components/states.tsx'
import { Segments } from '#renderer/components/tabs.tsx'
import { isNothing } from '#renderer/data/spend.ts'
import { GROUPS, METRICS, RANGES, ROLLUPS, type OverviewSearch, type View } from '#renderer/pages/overview/search.ts'
import { SpendChart } from '#renderer/pages/overview/SpendChart.tsx'
import { SpendTable } from '#renderer/pages/overview/SpendTable.tsx'

type SpendCardProps = {
  readonly view: View
  readonly onChange: (search: OverviewSearch) => void
  readonly report: UsageReport | undefined
  readonly error: Error | undefined
  readonly onRetry: () => void
}

/** Who or what the credits went to. The chart and the table below it show the same report. */
export function SpendCard({ view, onChange, report, error, onRetry }: SpendCardProps) {
  const { t } = useTranslation('overview')
  const title = t('spend.title', {
    metric: t(`spend.metrics.${view.metric}`),
    group: t(`spend.by.${view.group}`),
    range: t(`spend.ranges.${view.range}`),
  })
  return (
    <Card title={title} isFlush className="max-sm:order-last" actions={<Choices view={view} onChange={onChange} />}>
      {report === undefined && error === undefined && <Skeleton className="m-4 h-72" />}
      {report === undefined && error !== undefined && (
        <ErrorState title={t('spend.failed')} onRetry={onRetry}>
          {error.message}
        </ErrorState>
      )}
      {report !== undefined && <Spend view={view} report={report} title={title} />}
    </Card>
  )
}

type SpendProps = { readonly view: View; readonly report: UsageReport; readonly title: string }

function Spend({ view, report, title }: SpendProps) {
  const { t } = useTranslation('overview')
  const words = useMemo(() => ({ other: t('spend.other'), none: t('spend.unnamed') }), [t])
  if (isNothing(report)) return <EmptyState title={t('spend.none')}>{t('spend.how')}</EmptyState>
  return (
    <>
      <div className="px-4 pt-1 pb-3">
        <SpendChart report={report} view={view} words={words} label={title} />
      </div>
      <SpendTable report={report} words={words} group={view.group} />
    </>
  )
}

function Choices({ view, onChange }: { readonly view: View; readonly onChange: (search: OverviewSearch) => void }) {
  const { t } = useTranslation('overview')
  return (
    <>
      <Segments
        label={t('spend.metric')}
        value={view.metric}
        onChange={(metric) => onChange({ metric })}
        choices={METRICS.map((value) => ({ value, label: t(`spend.metrics.${value}`) }))}
      />
      <Segments
        label={t('spend.group')}
        value={view.group}
        onChange={(group) => onChange({ group })}
        choices={GROUPS.map((value) => ({ value, label: t(`spend.groups.${value}`) }))}
      />
      <Segments
        label={t('spend.range')}
        value={view.range}
        onChange={(range) => onChange({ range })}
        choices={RANGES.map((value) => ({ value, label: t(`spend.ranges.${value}`) }))}
      />
      {view.range !== '24h' && (
        <Segments
          label={t('spend.rollup')}
          value={view.rollup}
          onChange={(rollup) => onChange({ rollup })}
          choices={ROLLUPS.map((value) => ({ value, label: t(`spend.rollups.${value}`) }))}
        />
      )}
    </>
  )
}
