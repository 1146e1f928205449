import { useTranslation } from 'react-i18next'
import type { KeyView } from '#contract/schemas.ts'
import { Status, type Tone } from '#renderer/components/badge.tsx'
import { Bar } from '#renderer/components/bar.tsx'
import { cn } from '#renderer/components/cn.ts'
import { Money } from '#renderer/components/money.tsx'
import { Outlook } from '#renderer/components/outlook.tsx'
import { KEY_STATES, type KeyState as State } from '#renderer/data/key-list.ts'

const TONES = { active: 'live', suspended: 'waiting', expired: 'low', revoked: 'lost' } as const satisfies Record<
  State,
  Tone
>

/** Whether a key can be used, as word and shape. */
export function KeyState({ status }: { readonly status: string }) {
  const { t } = useTranslation('keys')
  const state = KEY_STATES.find((known) => known === status)
  return <Status tone={state === undefined ? 'calm' : TONES[state]}>{state ? t(`state.${state}`) : status}</Status>
}

type KeyBalanceProps = {
  readonly item: KeyView
  /** Sets the bar above the amounts, which take its room. */
  readonly isLong: boolean
}

/** What is left of what, a bar of it, and what becomes of it. */
export function KeyBalance({ item, isLong }: KeyBalanceProps) {
  return (
    <span className="flex flex-col gap-0.5">
      <BalanceBar balance={item.balance} isLong={isLong} />
      <span className="text-xs text-muted">
        <Outlook item={item} />
      </span>
    </span>
  )
}

type BalanceBarProps = { readonly balance: KeyView['balance']; readonly isLong: boolean }

function BalanceBar({ balance, isLong }: BalanceBarProps) {
  const { t } = useTranslation('keys')
  if (balance.total_credits === null) return <span className="text-muted">{t('balance.unlimited')}</span>
  return (
    <span
      className={cn('flex items-center gap-3', isLong ? STACKED : 'max-sm:flex-col max-sm:items-start max-sm:gap-1')}
    >
      <Bar
        total={balance.total_credits}
        used={balance.used_credits}
        held={balance.held_credits}
        className={isLong ? 'sm:w-full max-sm:w-16' : 'w-16 min-[1440px]:w-24'}
      />
      <span className="whitespace-nowrap sm:ml-auto">
        <Money credits={balance.remaining_credits} hasUnit={false} />
        <span className="text-xs text-muted max-[1279px]:hidden">
          {' / '}
          <Money credits={balance.total_credits} hasUnit={false} className="text-muted" />
        </span>
      </span>
    </span>
  )
}

const STACKED = 'flex-col items-start gap-1'
