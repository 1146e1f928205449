import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { BillCheck, BillDay } from '#contract/bills.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Sheet } from '#renderer/components/dialog.tsx'
import { DrawerSection, Facts } from '#renderer/components/facts.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Loading } from '#renderer/components/states.tsx'
import { Time } from '#renderer/components/time.tsx'
import { tokenSum } from '#renderer/data/bill-days.ts'
import { countText } from '#renderer/data/numbers.ts'
import { isOverLan } from '#renderer/data/over-lan.ts'
import { BillState, Causes } from '#renderer/pages/bills/columns.tsx'
import { Dollars } from '#renderer/components/dollars.tsx'
import { SettleSection } from '#renderer/pages/bills/SettleSection.tsx'

type BillDrawerProps = { readonly day: BillDay; readonly onClose: () => void }

/** One provider's day: both sides, each difference with its cause and calls, and what can be settled. */
export function BillDrawer({ day, onClose }: BillDrawerProps) {
  const { t, i18n } = useTranslation('bills')
  const { provider, state, source, tokens, money, made_at: madeAt } = day
  const facts = [
    { name: t('column.state'), value: <BillState state={state} /> },
    { name: t('source'), value: t(`sources.${source}`) },
    { name: t('madeAt'), value: <Time at={madeAt} /> },
    ...(money === null
      ? []
      : [
          { name: t('oursMoney'), value: <Dollars amount={money.ours} /> },
          { name: t('theirsMoney'), value: <Dollars amount={money.theirs} /> },
        ]),
    ...(tokens === null
      ? []
      : [
          { name: t('oursTokens'), value: countText(tokenSum(tokens.ours), i18n.language) },
          { name: t('theirsTokens'), value: countText(tokenSum(tokens.theirs), i18n.language) },
        ]),
  ]
  return (
    <Sheet
      isOpen
      onOpenChange={onClose}
      title={t('dayOf', { day: day.day, provider })}
      description={t(`stateText.${state}`)}
    >
      <Facts facts={facts} className="pb-4" />
      {source === 'answers' ? <DifferentAnswers day={day} /> : !isOverLan() && <Differences day={day} />}
    </Sheet>
  )
}

/** All that answers say is in the list already. */
function DifferentAnswers({ day: { causes, calls, call_count: callCount } }: { readonly day: BillDay }) {
  const { t } = useTranslation('bills')
  if (calls.length === 0) return null
  return (
    <DrawerSection title={t('differentAnswers')}>
      <p className="text-sm text-muted">
        <Causes causes={causes} />
      </p>
      <Calls calls={calls} callCount={callCount} />
    </DrawerSection>
  )
}

function Differences({ day: { provider, day } }: { readonly day: BillDay }) {
  const { t, i18n } = useTranslation('bills')
  const check = useApi('checkBill', { body: { provider, kept_day: day } })
  if (check.isPending) return <Loading lines={4} />
  if (check.data === undefined) return <Problem text={check.error?.message} />
  const { tokens, money } = check.data
  const count = (number: number) => countText(number, i18n.language)
  return (
    <>
      {tokens.differences.length > 0 && (
        <DrawerSection title={t('tokens')}>
          {tokens.differences.map((one) => (
            <Difference key={`${one.from} ${one.model} ${one.theirs.output}`} one={one} what={one.model}>
              {t('sides', { ours: count(tokenSum(one.ours)), theirs: count(tokenSum(one.theirs)) })}
            </Difference>
          ))}
        </DrawerSection>
      )}
      {money.differences.length > 0 && (
        <DrawerSection title={t('money')}>
          {money.differences.map((one) => (
            <Difference
              key={`${one.from} ${one.model} ${one.theirs} ${one.causes.join()}`}
              one={one}
              what={one.model ?? t('allModels')}
            >
              {t('sides', { ours: one.ours, theirs: `${one.theirs} ${one.currency}` })}
              {one.causes.includes('price_differs') && (
                <Link to="/models" search={{ provider }} className="ml-2 text-accent underline underline-offset-4">
                  {t('correctPrice')}
                </Link>
              )}
              {one.of_tokens !== '0' && (
                <span className="block text-muted">
                  {t('ofTokens', { amount: `${one.of_tokens} ${one.currency}` })}
                </span>
              )}
            </Difference>
          ))}
        </DrawerSection>
      )}
      {tokens.differences.length > 0 && <SettleSection provider={provider} day={day} />}
    </>
  )
}

type Explained = Pick<BillCheck['tokens']['differences'][number], 'from' | 'to' | 'causes' | 'calls' | 'call_count'>
type DifferenceProps = { readonly one: Explained; readonly what: string; readonly children: ReactNode }

function Difference({ one: { from, to, causes, calls, call_count: callCount }, what, children }: DifferenceProps) {
  const { t } = useTranslation('bills')
  const isWholeDay = hourOf(from) === '00:00' && hourOf(to) === '00:00'
  return (
    <div className="border-b border-line pb-2 text-sm last:border-b-0">
      <p className="flex flex-wrap justify-between gap-x-3">
        <span className="font-medium break-all">{what}</span>
        <span className="text-muted tabular-nums">
          {isWholeDay ? t('wholeDay') : t('between', { from: hourOf(from), to: hourOf(to) })}
        </span>
      </p>
      <p className="tabular-nums">{children}</p>
      <p className={causes.includes('unexplained') ? 'text-red' : 'text-muted'}>
        <Causes causes={causes} />
      </p>
      {calls.length > 0 && <Calls calls={calls} callCount={callCount} />}
    </div>
  )
}

type CallsProps = { readonly calls: readonly string[]; readonly callCount: number }

function Calls({ calls, callCount }: CallsProps) {
  const { t } = useTranslation('bills')
  return (
    <p className="flex flex-wrap gap-x-2">
      {calls.map((id) => (
        <Link key={id} to="/requests" search={{ open: id }} className="font-mono text-xs text-accent underline">
          {id}
        </Link>
      ))}
      {callCount > calls.length && <span>{t('moreCalls', { count: callCount - calls.length })}</span>}
    </p>
  )
}

/** Times of reports are those of UTC. */
function hourOf(instant: string): string {
  return instant.slice(11, 16)
}
