import { Link } from '@tanstack/react-router'
import { ReceiptText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useSession } from '#renderer/api/session.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { cn } from '#renderer/components/cn.ts'
import { lastDayBefore } from '#renderer/data/bill-days.ts'

/** Whether what providers bill agrees with the books; nothing where no report is kept. It is the last line: it comes later than the rest. */
export function BillsLine() {
  const { t } = useTranslation('overview')
  const isAdministrator = useSession()?.role === 'administrator'
  const { data } = useApi('listBills', { query: {} }, { isEnabled: isAdministrator })
  if (data === undefined || data.days.length === 0) return null
  const { unexplained, agreed_until: until } = data
  return (
    <p className={cn('flex items-center gap-2 text-sm max-sm:order-last', unexplained > 0 ? 'text-red' : 'text-muted')}>
      <ReceiptText aria-hidden className="size-4 shrink-0" />
      <Link to="/bills" className="underline underline-offset-4">
        {unexplained > 0
          ? t('bills.unexplained', { count: unexplained })
          : until === null
            ? t('bills.nothing')
            : t('bills.agreed', { day: lastDayBefore(until) })}
      </Link>
    </p>
  )
}
