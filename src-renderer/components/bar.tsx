import { useTranslation } from 'react-i18next'
import { cn } from '#renderer/components/cn.ts'
import { microOf, moneyText, shareOf } from '#renderer/data/money.ts'

type BarProps = {
  /** All in credits as the API writes them. A total that is unknown or unlimited draws no bar. */
  readonly total: number | string | null
  readonly used: number | string | null
  readonly held?: number | string
  readonly className?: string
}

/** Below this share of the total what is left turns amber. */
const LOW_PER_CENT = 10

/** A balance: what is used, what is held by calls in flight, what is left. */
export function Bar({ total, used, held = 0, className }: BarProps) {
  const { t, i18n } = useTranslation('common')
  const all = total === null ? undefined : microOf(total)
  const spent = used === null ? undefined : microOf(used)
  const inFlight = microOf(held) ?? 0n
  if (all === undefined || spent === undefined || all <= 0n) return null
  const left = all - spent - inFlight
  const heldShare = shareOf(inFlight, all)
  const leftShare = shareOf(left, all)
  const text = (amount: bigint) => moneyText(amount < 0n ? 0n : amount, i18n.language)
  const label = t('bar', { used: text(spent), held: text(inFlight), left: text(left) })
  return (
    <div
      role="img"
      aria-label={label}
      title={label}
      className={cn('flex h-2 w-full overflow-hidden rounded-full bg-line', className)}
    >
      <span style={{ width: `${leftShare}%` }} className={leftShare < LOW_PER_CENT ? 'bg-amber' : 'bg-accent'} />
      <span style={{ width: `${heldShare}%` }} className="bg-accent opacity-40" />
    </div>
  )
}
