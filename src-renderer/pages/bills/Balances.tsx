import { RefreshCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { AccountBalanceView } from '#contract/bills.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Time } from '#renderer/components/time.tsx'
import { microOfText } from '#renderer/data/bill-days.ts'
import { moneyText } from '#renderer/data/money.ts'

/** What providers said is left on their accounts; nothing where none of them says it. Somebody is asked when the button is pressed. */
export function Balances({ accounts = [] }: { readonly accounts: readonly AccountBalanceView[] | undefined }) {
  const { t } = useTranslation('bills')
  const ask = useAction('askAccountBalances', { showsOwnErrors: true })
  if (accounts.length === 0) return null
  return (
    <section aria-labelledby="balances" className="mb-6 rounded-md border border-line p-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="balances" className="text-sm font-medium">
          {t('balances.title')}
        </h2>
        <Button onClick={() => ask.mutate({ body: {} })} disabled={ask.isPending}>
          <RefreshCw aria-hidden />
          {t('balances.ask')}
        </Button>
      </div>
      {ask.error !== null && <p className="text-sm text-red">{ask.error.message}</p>}
      <ul className="mt-2 divide-y divide-line">
        {accounts.map((account) => (
          <Account key={`${account.provider} ${account.secret}`} account={account} />
        ))}
      </ul>
    </section>
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
