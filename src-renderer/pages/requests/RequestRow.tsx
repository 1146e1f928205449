// One row of the list. Rows come and go with every step of scrolling, so that they have no hooks and make no class names.

import type { TFunction } from 'i18next'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { UsageView } from '#contract/schemas.ts'
import { cn } from '#renderer/components/cn.ts'
import { microOf, moneyText } from '#renderer/data/money.ts'
import { compactText, durationText } from '#renderer/data/numbers.ts'
import { inputTokens } from '#renderer/data/request-cells.ts'
import { exactText, momentText } from '#renderer/data/times.ts'
import { StatusMark } from '#renderer/components/status-mark.tsx'

const COLUMNS = cn(
  'grid items-center gap-x-3 px-3',
  'grid-cols-[84px_minmax(0,1fr)_72px_52px]',
  'sm:grid-cols-[96px_minmax(0,3fr)_minmax(0,5fr)_88px_64px]',
  'lg:grid-cols-[96px_minmax(0,3fr)_minmax(0,5fr)_100px_84px_68px_68px_168px]',
)
const ROW = cn(
  COLUMNS,
  'absolute inset-x-0 cursor-pointer border-b border-line tabular-nums -outline-offset-2 hover:bg-sunken',
)
const OPEN_ROW = cn(ROW, 'bg-accent-soft')
const HEAD = cn(COLUMNS, 'sticky top-0 z-10 h-9 border-b border-line bg-surface text-xs font-medium text-muted')
const WIDE_NUMBER = 'text-right max-lg:hidden'

export function RequestHead() {
  const { t } = useTranslation('requests')
  return (
    <div role="row" className={HEAD}>
      <span role="columnheader">{t('columns.time')}</span>
      <span role="columnheader" className="max-sm:hidden">
        {t('columns.key')}
      </span>
      <span role="columnheader">{t('columns.model')}</span>
      <span role="columnheader" className={WIDE_NUMBER}>
        {t('columns.tokens')}
      </span>
      <span role="columnheader" className="text-right">
        {t('columns.cost')}
      </span>
      <span role="columnheader" className={WIDE_NUMBER} title={t('columns.firstTitle')}>
        {t('columns.first')}
      </span>
      <span role="columnheader" className={WIDE_NUMBER}>
        {t('columns.duration')}
      </span>
      <span role="columnheader" className="truncate">
        {t('columns.status')}
      </span>
    </div>
  )
}

type RequestCellProps = {
  readonly request: UsageView
  readonly t: TFunction<'requests'>
  readonly locale: string
}

type RequestRowProps = RequestCellProps & {
  readonly index: number
  readonly top: number
  readonly height: number
  readonly nowMs: number
  readonly isActive: boolean
  readonly isOpen: boolean
  readonly onFocus: (id: string) => void
  readonly onOpen: (id: string) => void
}

export const RequestRow = memo(function RequestRow({ index, top, height, nowMs, ...row }: RequestRowProps) {
  const { request, t, locale } = row
  const atMs = Date.parse(request.created_at)
  return (
    <div
      role="row"
      data-id={request.id}
      aria-rowindex={index + 2}
      aria-selected={row.isOpen}
      tabIndex={row.isActive ? 0 : -1}
      onFocus={() => row.onFocus(request.id)}
      onClick={() => row.onOpen(request.id)}
      style={{ top, height }}
      className={row.isOpen ? OPEN_ROW : ROW}
    >
      <span role="gridcell" className="whitespace-nowrap text-muted" title={exactText(atMs, locale)}>
        {momentText(atMs, nowMs, locale)}
      </span>
      <span role="gridcell" className="truncate max-sm:hidden" title={request.key}>
        {request.key}
      </span>
      <ModelCell request={request} />
      <TokensCell request={request} t={t} locale={locale} />
      <CostCell request={request} t={t} locale={locale} />
      <span role="gridcell" className="text-right text-muted max-lg:hidden">
        {durationOf(request.first_byte_ms, locale)}
      </span>
      <span role="gridcell" className={WIDE_NUMBER}>
        {durationOf(request.duration_ms, locale)}
      </span>
      <span role="gridcell" className="truncate">
        <StatusMark request={request} t={t} />
      </span>
    </div>
  )
})

function ModelCell({ request: { model, provider } }: Pick<RequestCellProps, 'request'>) {
  return (
    <span role="gridcell" className="truncate" title={provider === null ? model : `${model} → ${provider}`}>
      {model}
      {provider !== null && <span className="text-muted max-sm:hidden"> → {provider}</span>}
    </span>
  )
}

function CostCell({ request, t, locale }: RequestCellProps) {
  const micro = microOf(request.charge_credits)
  const title =
    micro === undefined ? t('common:unknown') : `${moneyText(micro, locale, 'exact')} ${t('common:credits')}`
  return (
    <span role="gridcell" className="text-right" title={title}>
      {micro === undefined ? '–' : moneyText(micro, locale)}
    </span>
  )
}

/** Input and output; a tilde where some of them are estimated. */
function TokensCell({ request, t, locale }: RequestCellProps) {
  const input = inputTokens(request)
  const { output_tokens: output } = request
  if (input === undefined && output === null) {
    return (
      <span role="gridcell" className="text-right text-muted max-lg:hidden" title={t('common:unknown')}>
        –
      </span>
    )
  }
  const isEstimated = request.usage_source === 'estimated'
  return (
    <span
      role="gridcell"
      className="text-right whitespace-nowrap max-lg:hidden"
      title={isEstimated ? t('estimated') : undefined}
    >
      {isEstimated && <span className="text-muted">~</span>}
      {input === undefined ? '–' : compactText(input, locale)}
      <span className="text-muted"> / </span>
      {output === null ? '–' : compactText(output, locale)}
    </span>
  )
}

function durationOf(ms: number | null, locale: string): string {
  return ms === null ? '–' : durationText(ms, locale)
}
