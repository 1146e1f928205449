import { useTranslation } from 'react-i18next'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { AccountList } from '#renderer/components/account-list.tsx'
import { Button } from '#renderer/components/button.tsx'
import { DrawerSection } from '#renderer/components/facts.tsx'

/** What is left on the accounts of a provider; nothing where it does not say. It is asked when the button is pressed. */
export function BalanceSection({ provider }: { readonly provider: string }) {
  const { t } = useTranslation('bills')
  const list = useApi('listAccountBalances', {})
  const ask = useAction('askAccountBalances', { showsOwnErrors: true })
  const accounts = list.data?.filter((account) => account.provider === provider) ?? []
  if (accounts.length === 0) return null
  return (
    <DrawerSection
      title={t('balances.title')}
      actions={
        <Button size="small" onClick={() => ask.mutate({ body: { provider } })} disabled={ask.isPending}>
          {t('balances.ask')}
        </Button>
      }
    >
      {ask.error !== null && <p className="text-sm text-red">{ask.error.message}</p>}
      <AccountList accounts={accounts} />
    </DrawerSection>
  )
}
