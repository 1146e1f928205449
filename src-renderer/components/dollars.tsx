import { useTranslation } from 'react-i18next'
import { microOfText } from '#renderer/data/bill-days.ts'
import { moneyText } from '#renderer/data/money.ts'

/** An amount of a bill, every digit of it on hover. */
export function Dollars({ amount, currency = 'USD' }: { readonly amount: string; readonly currency?: string }) {
  const { i18n } = useTranslation('common')
  return (
    <span className="whitespace-nowrap tabular-nums" title={`${amount} ${currency}`}>
      {moneyText(microOfText(amount), i18n.language)}
      {currency !== 'USD' && <span className="ml-0.5 text-xs text-muted">{currency}</span>}
    </span>
  )
}
