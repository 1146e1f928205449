import { ChevronLeft, ChevronRight, Image } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { UsageReport, UsageReportQuery } from '#contract/reports.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Button, IconButton } from '#renderer/components/button.tsx'
import { PictureDialog } from '#renderer/components/picture-dialog.tsx'
import { microOf, moneyText } from '#renderer/data/money.ts'
import { countText } from '#renderer/data/numbers.ts'
import { monthAfter, monthName, monthOf, type Picture } from '#renderer/data/picture.ts'
import { dateIn } from '#renderer/data/zone-dates.ts'

type MonthPictureProps = {
  /** In whose days the month is shown; undefined until that is known. */
  readonly zone: string | undefined
  readonly filters: UsageReportQuery
}

/** A month of spending as a calendar to share. It counts what is filtered, and does not say by what. */
export function MonthPicture({ zone, filters }: MonthPictureProps) {
  const { t } = useTranslation('common')
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button disabled={zone === undefined} onClick={() => setIsOpen(true)}>
        <Image aria-hidden />
        {t('picture.ofMonth')}
      </Button>
      {isOpen && zone !== undefined && <MonthDialog zone={zone} filters={filters} onClose={() => setIsOpen(false)} />}
    </>
  )
}

type MonthDialogProps = Pick<MonthPictureProps, 'filters'> & { readonly zone: string; readonly onClose: () => void }

function MonthDialog({ zone, filters, onClose }: MonthDialogProps) {
  const { t, i18n } = useTranslation('common')
  const present = dateIn(zone, Date.now()).slice(0, 7)
  const [month, setMonth] = useState(present)
  const isPresent = month === present
  const query: UsageReportQuery = {
    ...filters,
    from: `${month}-01`,
    ...(isPresent ? {} : { to: `${monthAfter(month, 1)}-01` }),
    rollup: 'day',
    group: 'none',
  }
  const { data } = useApi('usageReport', { query }, { keepsPrevious: true })
  const name = monthName(month, i18n.language)
  const picture = usePicture(month, data)
  return (
    <PictureDialog picture={picture} fileName={`farebox-${month}`} onClose={onClose}>
      <p className="mb-3 flex items-center gap-2">
        <IconButton label={t('picture.before')} onClick={() => setMonth(monthAfter(month, -1))}>
          <ChevronLeft aria-hidden />
        </IconButton>
        <span className="min-w-40 text-center font-medium">{name}</span>
        <IconButton label={t('picture.after')} disabled={isPresent} onClick={() => setMonth(monthAfter(month, 1))}>
          <ChevronRight aria-hidden />
        </IconButton>
      </p>
    </PictureDialog>
  )
}

function usePicture(month: string, report: UsageReport | undefined): Picture {
  const { t, i18n } = useTranslation('common')
  return useMemo(() => {
    const locale = i18n.language
    const title = monthName(month, locale)
    if (report === undefined) return { title, subtitle: '', amount: '…', facts: [] }
    const micro = microOf(report.totals.charge_credits) ?? 0n
    return {
      title,
      subtitle: report.time_zone,
      amount: `${moneyText(micro, locale)} ${t('credits')}`,
      facts: [{ name: t('picture.requests'), value: countText(report.totals.requests, locale) }],
      month: monthOf(month, report, locale),
    }
  }, [i18n.language, month, report, t])
}
