import { useTranslation } from 'react-i18next'
import { STEP_MS, useNow } from '#renderer/components/use-now.ts'
import { exactText, msOf, relativeText } from '#renderer/data/times.ts'

type TimeProps = {
  /** ISO 8601 text or epoch milliseconds; null and undefined are unknown. */
  readonly at: string | number | null | undefined
  /** IANA zone of the exact time; the reader's own by default. */
  readonly zone?: string
  /** Instead of the dash where there is none: `never`. */
  readonly none?: string
}

/** How long ago, or until; the exact time with its zone on hover. */
export function Time({ at, zone, none = '–' }: TimeProps) {
  const { i18n } = useTranslation()
  const nowMs = useNow()
  const atMs = typeof at === 'number' ? at : msOf(at)
  if (atMs === undefined) return <span className="text-muted">{none}</span>
  // The clock of the page moves in steps, and what has just happened must not be announced for the future.
  const isJustNow = atMs > nowMs && atMs - nowMs < 2 * STEP_MS
  return (
    <time dateTime={new Date(atMs).toISOString()} title={exactText(atMs, i18n.language, zone)} className="tabular-nums">
      {relativeText(atMs, isJustNow ? atMs : nowMs, i18n.language)}
    </time>
  )
}
