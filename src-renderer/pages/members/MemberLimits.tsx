import { useTranslation } from 'react-i18next'
import type { MemberView } from '#contract/members.ts'
import { DrawerSection, Facts } from '#renderer/components/facts.tsx'
import { Money } from '#renderer/components/money.tsx'
import { countText } from '#renderer/data/numbers.ts'

/** What all keys of a member may use together, and what they use of it now. */
export function MemberLimits({ member }: { readonly member: MemberView }) {
  const { t, i18n } = useTranslation('members')
  const { limits, running_calls: running } = member
  const count = (value: number | null) => (value === null ? t('limits.none') : countText(value, i18n.language))
  const most = limits.concurrent_requests
  const runningText = most === null ? count(running) : t('limits.of', { used: count(running), limit: count(most) })
  return (
    <DrawerSection title={t('limits.title')}>
      <Facts
        facts={[
          { name: t('limits.requests_per_minute'), value: count(limits.requests_per_minute) },
          { name: t('limits.tokens_per_minute'), value: count(limits.tokens_per_minute) },
          { name: t('limits.running'), value: runningText },
          { name: t('limits.creditsToday'), value: <CreditsToday member={member} /> },
        ]}
      />
    </DrawerSection>
  )
}

function CreditsToday({ member: { limits, credits_today: today } }: { readonly member: MemberView }) {
  if (limits.credits_per_day === null) return <Money credits={today} />
  return (
    <>
      <Money credits={today} hasUnit={false} /> / <Money credits={limits.credits_per_day} />
    </>
  )
}
