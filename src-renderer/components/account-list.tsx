import { useTranslation } from 'react-i18next'
import type { AccountBalanceView } from '#contract/bills.ts'
import { Time } from '#renderer/components/time.tsx'
import { microOfText } from '#renderer/data/bill-days.ts'
import { moneyText } from '#renderer/data/money.ts'

/** What providers said is left on accounts, how long that lasts, and what they warn of. */
export function AccountList({ accounts }: { readonly accounts: readonly AccountBalanceView[] }) {
  return (
    <ul className="mt-2 divide-y divide-line">
      {accounts.map((account) => (
        <Account key={`${account.provider} ${account.secret}`} account={account} />
      ))}
    </ul>
  )
}

function Account({ account }: { readonly account: AccountBalanceView }) {
  const { t, i18n } = useTranslation('bills')
  const { provider, secret, balances, said_at: saidAt, problem } = account
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1 py-2 text-sm">
      <span className="min-w-32 font-medium break-all">
        {secret === null ? provider : t('balances.ofSecret', { provider, secret })}
      </span>
      {balances.map(({ currency, amount, days_left: days }) => (
        <span key={currency} className="tabular-nums" title={`${amount} ${currency}`}>
          {moneyText(microOfText(amount), i18n.language)} {currency}
          {days !== null && (
            <span className="ml-2 text-muted">
              {days < 1 ? t('balances.lessThanADay') : t('balances.lasts', { count: Math.floor(days) })}
            </span>
          )}
        </span>
      ))}
      {saidAt !== null && (
        <span className="text-muted">
          <Time at={saidAt} />
        </span>
      )}
      {problem !== null && <span className="text-red">{problem}</span>}
      {saidAt === null && problem === null && <span className="text-muted">{t('balances.notAsked')}</span>}
    </li>
  )
}
