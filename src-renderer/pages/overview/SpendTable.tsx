import { Link } from '@tanstack/react-router'
import { TrendingDown, TrendingUp } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Totals, UsageReport } from '#contract/reports.ts'
import { Money } from '#renderer/components/money.tsx'
import { Cell, HeadCell, Row, Table } from '#renderer/components/table.tsx'
import { Tokens } from '#renderer/components/tokens.tsx'
import { countText } from '#renderer/data/numbers.ts'
import { spendRows, type SpendRow, type SpendWords } from '#renderer/data/spend.ts'
import { changeOf, chargeOf, type Change } from '#renderer/data/totals.ts'
import { amountOf, doubtOf } from '#renderer/data/usage-amounts.ts'
import type { View } from '#renderer/pages/overview/search.ts'

type SpendTableProps = {
  readonly report: UsageReport
  readonly words: SpendWords
  readonly group: View['group']
}

/** The sums of the chart's series, and what they add up to. */
export function SpendTable({ report, words, group }: SpendTableProps) {
  const { t } = useTranslation('overview')
  const label = t('spend.table')
  const change = changeOf(chargeOf(report.totals), chargeOf(report.previous))
  return (
    <div role="region" aria-label={label} tabIndex={0} className="overflow-x-auto pb-1 -outline-offset-2">
      <Table aria-label={label} className="max-sm:table-fixed">
        <thead>
          <tr>
            <HeadCell>{t(`spend.groups.${group}`)}</HeadCell>
            <HeadCell align="right" className="max-sm:w-22">
              {t('spend.metrics.requests')}
            </HeadCell>
            <HeadCell align="right" className="max-sm:hidden">
              {t('spend.failedColumn')}
            </HeadCell>
            <HeadCell align="right" className="max-sm:w-20">
              {t('spend.metrics.tokens')}
            </HeadCell>
            <HeadCell align="right" className="max-sm:w-20">
              {t('spend.metrics.cost')}
            </HeadCell>
            <HeadCell align="right" className="max-sm:hidden">
              {t('spend.change')}
            </HeadCell>
          </tr>
        </thead>
        <tbody>
          {spendRows(report, words).map((row) => (
            <Row key={row.id}>
              <Cell className="max-w-60 truncate">
                <GroupName row={row} group={group} />
              </Cell>
              <SumCells totals={row.totals} change={row.change} />
            </Row>
          ))}
        </tbody>
        <tfoot>
          <tr className="border-t border-line-strong font-medium">
            <Cell>{t('spend.total')}</Cell>
            <SumCells totals={report.totals} change={change} />
          </tr>
        </tfoot>
      </Table>
    </div>
  )
}

/** Leads to the requests behind the sum. */
function GroupName({ row, group }: { readonly row: SpendRow; readonly group: View['group'] }) {
  if (!row.isNamed) return <span className="text-muted">{row.name}</span>
  return (
    <Link to="/requests" search={{ [group]: row.name }} className="rounded-sm hover:underline">
      {row.name}
    </Link>
  )
}

function SumCells({ totals, change }: { readonly totals: Totals; readonly change: Change | undefined }) {
  const { i18n } = useTranslation('overview')
  return (
    <>
      <Cell align="right">{countText(totals.requests, i18n.language)}</Cell>
      <Cell align="right" className="max-sm:hidden">
        {countText(totals.failed, i18n.language)}
      </Cell>
      <Cell align="right">
        <TokenSum totals={totals} />
      </Cell>
      <Cell align="right">
        <Money credits={totals.charge_credits} hasUnit={false} />
      </Cell>
      <Cell align="right" className="max-sm:hidden">
        <ChangeMark change={change} />
      </Cell>
    </>
  )
}

/** With a tilde where Farebox had to count for some of the calls, or nobody did. */
function TokenSum({ totals }: { readonly totals: Totals }) {
  const { t } = useTranslation('overview')
  const count = amountOf(totals, 'tokens')
  const doubt = doubtOf(totals, 'tokens')
  return (
    <span title={doubt === undefined ? undefined : t('spend.doubt', { ...doubt })}>
      {doubt !== undefined && count !== undefined && <span className="text-muted">~</span>}
      <Tokens count={count === undefined ? undefined : Number(count)} />
    </span>
  )
}

function ChangeMark({ change }: { readonly change: Change | undefined }) {
  const { t } = useTranslation('overview')
  if (change === undefined) return <span className="text-muted">{t('spend.same')}</span>
  const Arrow = change.direction === 'up' ? TrendingUp : TrendingDown
  return (
    <span className="inline-flex items-center gap-1 text-muted">
      <Arrow aria-hidden className="size-3.5" />
      <span className="sr-only">{t(change.direction === 'up' ? 'spend.more' : 'spend.less')}</span>
      <Money micro={change.by} hasUnit={false} />
    </span>
  )
}
