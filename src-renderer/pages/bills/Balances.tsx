import { RefreshCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { AccountBalanceView } from '#contract/bills.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { AccountList } from '#renderer/components/account-list.tsx'
import { Button } from '#renderer/components/button.tsx'

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
      <AccountList accounts={accounts} />
    </section>
  )
}
