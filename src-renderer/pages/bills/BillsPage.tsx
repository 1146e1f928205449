import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Plus, ReceiptText } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { BillDays } from '#contract/bills.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { ListPage } from '#renderer/components/list-page.tsx'
import { EmptyState } from '#renderer/components/states.tsx'
import { billId, lastDayBefore } from '#renderer/data/bill-days.ts'
import { isOverLan } from '#renderer/data/over-lan.ts'
import { Balances } from '#renderer/pages/bills/Balances.tsx'
import { BillDrawer } from '#renderer/pages/bills/BillDrawer.tsx'
import { useBillColumns } from '#renderer/pages/bills/columns.tsx'
import { ReportDialog } from '#renderer/pages/bills/ReportDialog.tsx'

const route = getRouteApi('/shell/bills')

/** How what providers bill agrees with the books, day by day. */
export function BillsPage() {
  const { t } = useTranslation('bills')
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/bills' })
  const [isAdding, setAdding] = useState(false)
  const list = useApi('listBills', {})
  const accounts = useApi('listAccountBalances', {})
  const columns = useBillColumns()
  const days = list.data?.days
  const opened = days?.find((day) => billId(day) === search.open)
  const open = (id: string | undefined) => void navigate({ search: id === undefined ? {} : { open: id } })
  const add = (
    <Button look="primary" onClick={() => setAdding(true)}>
      <Plus aria-hidden />
      {t('add')}
    </Button>
  )
  return (
    <ListPage
      title={t('title')}
      description={t('description')}
      failed={t('failed')}
      list={list}
      zone="UTC"
      // Reports are asked for and read on the machine that Farebox runs on.
      actions={!isOverLan() && add}
      notice={<Balances accounts={accounts.data} />}
      isNoticeOpen={accounts.isLoading}
      filters={list.data !== undefined && list.data.days.length > 0 && <Agreement bills={list.data} />}
      columns={columns}
      items={days}
      idOf={billId}
      openId={opened && billId(opened)}
      onOpen={(day) => open(billId(day))}
      empty={
        <EmptyState icon={ReceiptText} title={t('none')}>
          {t('noneHow')}
        </EmptyState>
      }
    >
      {opened !== undefined && <BillDrawer day={opened} onClose={() => open(undefined)} />}
      {isAdding && <ReportDialog onClose={() => setAdding(false)} />}
    </ListPage>
  )
}

/** The sentence that a bill is compared for. */
function Agreement({ bills }: { readonly bills: BillDays }) {
  const { t } = useTranslation('bills')
  const { unexplained, unexplained_amount: amount, agreed_until: until } = bills
  if (unexplained > 0) {
    return (
      <p role="status" className="mx-4 my-2 rounded-md bg-red-soft px-3 py-2 text-sm text-red">
        {t(amount === '0' ? 'unexplainedTokens' : 'unexplained', { count: unexplained, amount })}
      </p>
    )
  }
  return (
    <p role="status" className="mx-4 my-2 rounded-md bg-sunken px-3 py-2 text-sm">
      {until === null ? t('nothingUnexplained') : t('agreedUntil', { day: lastDayBefore(until) })}
    </p>
  )
}
