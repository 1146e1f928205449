import { useTranslation } from 'react-i18next'
import { cn } from '#renderer/components/cn.ts'
import { microOf, moneyText, type MoneyDetail } from '#renderer/data/money.ts'

type MoneyProps = {
  /** Credits as the API writes them: a number or decimal text. Null and undefined are unknown. */
  readonly credits?: number | string | null | undefined
  /** Or integer micro-credits. */
  readonly micro?: number | bigint | null | undefined
  readonly detail?: MoneyDetail
  /** Why this is an estimate; puts a tilde before the number. */
  readonly estimate?: string
  /** Leaves the unit out where the head of a column has it. */
  readonly hasUnit?: boolean
  readonly className?: string
}

/** An amount of credits. Unknown is a dash, never 0; every digit is shown on hover. */
export function Money({ credits, micro, detail = 'short', estimate, hasUnit = true, className }: MoneyProps) {
  const { t, i18n } = useTranslation('common')
  const amount = amountOf(credits, micro)
  if (amount === undefined) {
    return (
      <span className={cn('text-muted', className)} title={t('unknown')}>
        –
      </span>
    )
  }
  const exact = moneyText(amount, i18n.language, 'exact')
  return (
    <span className={cn('whitespace-nowrap tabular-nums', className)} title={estimate ?? `${exact} ${t('credits')}`}>
      {estimate !== undefined && <span className="text-muted">~</span>}
      {moneyText(amount, i18n.language, detail)}
      {hasUnit && <span className="ml-0.5 text-xs font-normal text-muted">{t('unit')}</span>}
    </span>
  )
}

function amountOf(credits: MoneyProps['credits'], micro: MoneyProps['micro']): bigint | undefined {
  if (micro !== null && micro !== undefined) return BigInt(micro)
  return credits === null || credits === undefined ? undefined : microOf(credits)
}
