import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { BillDay } from '#contract/bills.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Dollars } from '#renderer/components/dollars.tsx'
import { DrawerSection, Facts, type Fact } from '#renderer/components/facts.tsx'
import { Time } from '#renderer/components/time.tsx'
import { useNow } from '#renderer/components/use-now.ts'
import { reportedSpend, tokenSum, type MonthOfBills } from '#renderer/data/bill-days.ts'
import { countText } from '#renderer/data/numbers.ts'

/** What the provider itself says was spent, beside ours of the same time; nothing where no report and no answer of it says so. */
export function SpendSection({ provider }: { readonly provider: string }) {
  const { t } = useTranslation('bills')
  const nowMs = useNow()
  const { data } = useApi('listBills', { query: {} })
  const { today, month } = reportedSpend(data?.days ?? [], provider, nowMs)
  if (today === undefined && month === undefined) return null
  return (
    <DrawerSection title={t('spend.title')}>
      <Part title={t('spend.today')}>
        {today === undefined ? <p className="text-sm text-muted">{t('spend.none')}</p> : <Today day={today} />}
      </Part>
      <Part title={t('spend.month')}>
        {month === undefined ? <p className="text-sm text-muted">{t('spend.none')}</p> : <Month month={month} />}
      </Part>
    </DrawerSection>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1.5" role="group" aria-label={title}>
      <p className="text-sm font-medium">{title}</p>
      {children}
    </div>
  )
}

/** Money where it is known. A provider counts tokens by the hour, and says what they cost a day later. */
function Today({ day: { tokens, money, to, made_at: madeAt } }: { readonly day: BillDay }) {
  const { t, i18n } = useTranslation('bills')
  const count = (counts: NonNullable<BillDay['tokens']>['ours']) => countText(tokenSum(counts), i18n.language)
  const facts: readonly Fact[] = [
    ...(money === null ? [] : moneyFacts(t('oursMoney'), t('theirsMoney'), money)),
    ...(money !== null || tokens === null
      ? []
      : [
          { name: t('oursTokens'), value: count(tokens.ours) },
          { name: t('theirsTokens'), value: count(tokens.theirs) },
        ]),
    // What is of a whole day was said before its end.
    { name: t('spend.until'), value: `${(to < madeAt ? to : madeAt).slice(11, 16)} UTC` },
    { name: t('madeAt'), value: <Time at={madeAt} /> },
  ]
  return <Facts facts={facts} />
}

function Month({ month }: { readonly month: MonthOfBills }) {
  const { t, i18n } = useTranslation('bills')
  const facts: readonly Fact[] = [
    ...moneyFacts(t('oursMoney'), t('theirsMoney'), month),
    { name: t('spend.days'), value: countText(month.days, i18n.language) },
    { name: t('spend.until'), value: month.lastDay },
    { name: t('madeAt'), value: <Time at={month.madeAt} /> },
  ]
  return <Facts facts={facts} />
}

function moneyFacts(ours: string, theirs: string, amounts: { readonly ours: string; readonly theirs: string }): Fact[] {
  return [
    { name: ours, value: <Dollars amount={amounts.ours} /> },
    { name: theirs, value: <Dollars amount={amounts.theirs} /> },
  ]
}
