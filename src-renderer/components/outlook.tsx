import { useTranslation } from 'react-i18next'
import type { KeyView } from '#contract/schemas.ts'
import { useNow } from '#renderer/components/use-now.ts'
import { microOf, moneyText } from '#renderer/data/money.ts'
import { outlookOf, type Outlook as Said } from '#renderer/data/outlook.ts'
import { dateText, dayText, exactText, msOf, relativeText, spanText } from '#renderer/data/times.ts'

type OutlookProps = { readonly item: Pick<KeyView, 'balance' | 'outlook' | 'created_at'>; readonly zone?: string }

/** `resets in 8 days · at this pace 12 left over`; nothing where nothing is known. */
export function Outlook({ item, zone }: OutlookProps) {
  const { t, i18n } = useTranslation('common')
  const nowMs = useNow()
  const { resetsAtMs, becomes } = outlookOf(item)
  const words = useBecomesText()(becomes, nowMs)
  if (item.balance.total_credits === null || (resetsAtMs === undefined && words === undefined)) return null
  const sinceMs = Math.max(msOf(item.balance.cycle_started_at) ?? 0, msOf(item.created_at) ?? 0)
  return (
    <span className="flex flex-wrap gap-x-1.5">
      {words !== undefined && (
        <span title={t('left.since', { since: dateText(sinceMs, i18n.language, zone) })}>{words}</span>
      )}
      {words !== undefined && resetsAtMs !== undefined && <span aria-hidden>·</span>}
      {resetsAtMs !== undefined && (
        <span title={exactText(resetsAtMs, i18n.language, zone)}>
          {t('left.resets', { when: relativeText(resetsAtMs, nowMs, i18n.language) })}
        </span>
      )}
    </span>
  )
}

function useBecomesText(): (becomes: Said['becomes'], nowMs: number) => string | undefined {
  const { t, i18n } = useTranslation('common')
  const locale = i18n.language
  return (becomes, nowMs) => {
    switch (becomes.type) {
      case 'unknown':
        return undefined
      case 'used-up':
        return t('left.usedUp')
      case 'left-over':
        return t('left.leftOver', { credits: moneyText(microOf(becomes.credits) ?? 0n, locale) })
      case 'runs-out':
        return t('left.runsOut', { when: dayText(becomes.atMs, nowMs, locale) })
      case 'lasts':
        return t('left.lasts', { span: spanText(Math.max(0, becomes.untilMs - nowMs), locale) })
    }
  }
}
