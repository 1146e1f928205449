import { ChartColumn } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Card } from '#renderer/components/card.tsx'
import { cn } from '#renderer/components/cn.ts'
import { EmptyState, ErrorState, Skeleton, StaleMark } from '#renderer/components/states.tsx'
import { UsageChart } from '#renderer/pages/usage/UsageChart.tsx'
import type { Usage } from '#renderer/pages/usage/use-usage.ts'
import type { UsageWords } from '#renderer/pages/usage/use-words.ts'

type UsageCardProps = {
  readonly usage: Usage
  readonly words: UsageWords
  readonly onPick: (index: number, seriesId: string) => void
}

/** The chart with its states; its place has one height in all of them. */
export function UsageCard({ usage, words, onPick }: UsageCardProps) {
  const { t } = useTranslation('usage')
  const { report, measure, answer } = usage
  const title = t(`chartTitle.${report?.group ?? 'none'}`, {
    measure: t(`measures.${measure}`),
    step: t(`steps.${report?.rollup ?? 'day'}`),
  })
  return (
    <Card
      title={title}
      actions={answer.isError && report !== undefined ? <StaleMark atMs={answer.dataUpdatedAt} /> : undefined}
      aria-busy={answer.isPlaceholderData || undefined}
    >
      <div
        className={cn(report?.group !== 'session' && 'min-h-48 sm:min-h-64', answer.isPlaceholderData && 'opacity-60')}
      >
        <Content usage={usage} words={words} onPick={onPick} />
      </div>
    </Card>
  )
}

function Content({ usage, words, onPick }: UsageCardProps) {
  const { t } = useTranslation('usage')
  const { report, answer } = usage
  if (report === undefined || (answer.isError && answer.isPlaceholderData)) {
    if (!answer.isError) return <ChartSkeleton />
    return (
      <ErrorState title={t('failed')} onRetry={() => void answer.refetch()}>
        {answer.error.message}
      </ErrorState>
    )
  }
  if (report.totals.requests + report.previous.requests === 0) {
    return (
      <EmptyState icon={ChartColumn} title={t('empty')}>
        {t('emptyHint')}
      </EmptyState>
    )
  }
  if (report.group === 'session') return <p className="text-muted">{t('noCourse')}</p>
  return <UsageChart usage={usage} report={report} words={words} onPick={onPick} />
}

function ChartSkeleton() {
  const { t } = useTranslation('usage')
  return (
    <div role="status">
      <span className="sr-only">{t('common:loading')}</span>
      <Skeleton className="h-40 sm:h-56" />
    </div>
  )
}
