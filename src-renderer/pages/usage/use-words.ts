// The words and numbers of a report in the reader's language, the same for chart, table and file.

import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { UsageReport } from '#contract/reports.ts'
import { axisText, intervalText } from '#renderer/data/intervals.ts'
import { moneyText } from '#renderer/data/money.ts'
import { compactText, countText } from '#renderer/data/numbers.ts'
import { unitOf, type AmountSeries, type Measure } from '#renderer/data/usage-amounts.ts'
import type { RowHead, TableColumn } from '#renderer/data/usage-table.ts'

export type UsageWords = {
  readonly seriesLabel: (series: Pick<AmountSeries, 'kind' | 'name'>) => string
  readonly headText: (head: RowHead) => string
  readonly columnLabel: (column: TableColumn) => string
  readonly unitLabel: (measure: Measure) => string
  readonly axisTime: (atMs: number) => string
  readonly intervalTime: (atMs: number) => string
  /** In few characters, for the axis and the tip. */
  readonly valueText: (value: number) => string
}

export function useWords(report: UsageReport | undefined, measure: Measure): UsageWords {
  const { t, i18n } = useTranslation('usage')
  const locale = i18n.language
  return useMemo(() => {
    const { rollup = 'day', time_zone: zone = 'UTC', group = 'none', intervals = [] } = report ?? {}
    const options = { rollup, zone, locale }
    const seriesLabel: UsageWords['seriesLabel'] = ({ kind, name }) => {
      if (kind === 'other') return t('other')
      if (kind === 'all') return t(`measures.${measure}`)
      if (kind === 'class') return t(`measures.${name ?? 'tokens'}`)
      return name ?? t(`nobody.${group}`)
    }
    const intervalTime = (atMs: number) => intervalText(atMs, options)
    return {
      seriesLabel,
      headText: (head) => {
        if (head.type === 'interval') return intervalTime(head.startMs)
        const isNoMember = group === 'member' && head.kind === 'value' && head.groupId === null && head.name !== null
        return isNoMember ? t('noMember', { name: head.name }) : seriesLabel(head)
      },
      columnLabel: (column) => {
        if (column.type === 'series') return seriesLabel(column.series)
        return column.type === 'measure' ? t(`measures.${column.measure}`) : t(`columns.${column.type}`)
      },
      unitLabel: (one) => {
        const unit = unitOf(one)
        return t(`units.${unit}`)
      },
      axisTime: (atMs) => axisText(atMs, options, intervals.length <= 25),
      intervalTime,
      valueText: (value) => valueText(value, measure, locale),
    }
  }, [locale, measure, report, t])
}

function valueText(value: number, measure: Measure, locale: string): string {
  const unit = unitOf(measure)
  // The axis asks for values between whole ones.
  if (unit === 'credits') return moneyText(BigInt(Math.round(value)), locale)
  return unit === 'tokens' ? compactText(Math.round(value), locale) : countText(value, locale)
}
