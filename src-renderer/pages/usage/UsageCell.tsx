import { useTranslation } from 'react-i18next'
import { decimalText, neededPlaces } from '#renderer/data/decimal.ts'
import { countText, percentText } from '#renderer/data/numbers.ts'
import type { Unit } from '#renderer/data/usage-amounts.ts'
import type { TableCell } from '#renderer/data/usage-table.ts'

const CREDIT_PLACES = 6
const MIN_PLACES = 2

type UsageCellProps = {
  readonly cell: TableCell
  /** Behind the point of credits, the same in a whole column. */
  readonly places: number
}

/** Every digit, so that a column adds up before the reader's eyes. */
export function UsageCell({ cell, places }: UsageCellProps) {
  const { t, i18n } = useTranslation('usage')
  const locale = i18n.language
  if (cell.type === 'share') return cell.part === undefined ? <Unknown /> : percentText(cell.part, locale)
  if (cell.value === undefined) return <Unknown />
  if (cell.type === 'change') {
    return (
      <>
        {cell.value > 0n && '+'}
        {amountText(cell.value, { unit: cell.unit, places, locale })}
        <span className="ml-2 inline-block text-right text-xs text-muted max-sm:empty:hidden sm:min-w-18">
          {signedPercent(cell.part, locale)}
        </span>
      </>
    )
  }
  const text = amountText(cell.value, { unit: cell.unit, places, locale })
  if (cell.doubt === undefined) return <span className={cell.value === 0n ? 'text-muted' : undefined}>{text}</span>
  return (
    <span title={t('doubt', cell.doubt)}>
      <span className="text-muted">~</span>
      {text}
    </span>
  )
}

/** The places that the amounts of one column need. */
export function placesOf(rows: readonly (readonly TableCell[])[], column: number): number {
  return rows.reduce((most, cells) => {
    const cell = cells[column]
    const isCredits = cell !== undefined && cell.type !== 'share' && cell.unit === 'credits'
    if (!isCredits || cell.value === undefined) return most
    return Math.max(most, neededPlaces({ units: cell.value, places: CREDIT_PLACES }))
  }, MIN_PLACES)
}

function Unknown() {
  const { t } = useTranslation('usage')
  return (
    <span className="text-muted" title={t('common:unknown')}>
      –
    </span>
  )
}

type AmountOptions = { readonly unit: Unit; readonly places: number; readonly locale: string }

function amountText(value: bigint, { unit, places, locale }: AmountOptions): string {
  if (unit === 'credits') return decimalText({ units: value, places: CREDIT_PLACES }, places, locale)
  return countText(Number(value), locale).replace('-', '−')
}

function signedPercent(part: number | undefined, locale: string): string {
  if (part === undefined) return ''
  return `${part > 0 ? '+' : ''}${percentText(part, locale).replace('-', '−')}`
}
