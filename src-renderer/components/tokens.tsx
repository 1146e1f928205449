import { useTranslation } from 'react-i18next'
import { cn } from '#renderer/components/cn.ts'
import { compactText, countText } from '#renderer/data/numbers.ts'

type TokensProps = {
  /** Null and undefined are unknown. */
  readonly count: number | null | undefined
  /** Every digit instead of `1.2k`. */
  readonly isExact?: boolean
  readonly className?: string
}

/** A number of tokens in few characters, every digit on hover. */
export function Tokens({ count, isExact = false, className }: TokensProps) {
  const { t, i18n } = useTranslation('common')
  if (count === null || count === undefined) {
    return (
      <span className="text-muted" title={t('unknown')}>
        –
      </span>
    )
  }
  const exact = countText(count, i18n.language)
  return (
    <span className={cn('whitespace-nowrap tabular-nums', className)} title={exact}>
      {isExact ? exact : compactText(count, i18n.language)}
    </span>
  )
}
