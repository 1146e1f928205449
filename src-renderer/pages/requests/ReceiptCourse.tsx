import { CircleCheck, CircleMinus, OctagonX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { ReceiptView } from '#contract/receipt.ts'
import { attemptWord, reasonWord } from '#renderer/data/receipt-words.ts'
import { durationText } from '#renderer/data/numbers.ts'
import { cn } from '#renderer/components/cn.ts'

type Attempt = Exclude<ReceiptView['attempts'], 'unknown'>[number]
type CoursePartProps = { readonly receipt: ReceiptView }

/** The requests to providers in their order. */
export function Attempts({ receipt: { attempts } }: CoursePartProps) {
  const { t } = useTranslation('requests')
  if (attempts === 'unknown') return <p className="text-sm text-muted">{t('attemptsUnknown')}</p>
  if (attempts.length === 0) return <p className="text-sm text-muted">{t('attemptsNone')}</p>
  return (
    <ol className="flex flex-col">
      {attempts.map((attempt, index) => (
        // Nothing else tells two attempts at one target apart.
        <AttemptRow key={index} attempt={attempt} />
      ))}
    </ol>
  )
}

function AttemptRow({ attempt }: { readonly attempt: Attempt }) {
  const { t, i18n } = useTranslation('requests')
  const word = attemptWord(attempt.outcome)
  const isGood = word === 'complete'
  const isBad = word === 'failed' || word === 'refused' || word === 'fault'
  const Shape = isGood ? CircleCheck : isBad ? OctagonX : CircleMinus
  const reason = reasonWord(attempt.reason)
  return (
    <li className="flex items-start gap-2 border-b border-line py-2 last:border-b-0">
      <Shape
        aria-hidden
        className={cn('mt-0.5 size-4 shrink-0', isGood ? 'text-accent' : isBad ? 'text-red' : 'text-muted')}
      />
      <div className="min-w-0 flex-1">
        <p className="break-words">
          {attempt.provider ?? t('someProvider')}
          {attempt.model !== undefined && <span className="text-muted"> · {attempt.model}</span>}
        </p>
        <p className="text-xs text-muted">
          {word === undefined ? attempt.outcome : t(`attemptOutcomes.${word}`)}
          {attempt.status !== null && ` (${attempt.status})`}
          {reason !== undefined && ` · ${t(`reasons.${reason}`)}`}
        </p>
        {attempt.words !== undefined && <p className="text-xs break-words text-muted">{attempt.words}</p>}
      </div>
      <span className="tabular-nums">{durationText(attempt.duration_ms, i18n.language)}</span>
    </li>
  )
}

/** Until the first byte, and from there to the end; the bar shows their parts. */
export function Timings({ receipt: { first_byte_ms: first, duration_ms: duration } }: CoursePartProps) {
  const { t, i18n } = useTranslation('requests')
  const locale = i18n.language
  const part = first === null || duration === 0 ? undefined : Math.min(100, (first / duration) * 100)
  return (
    <div className="flex flex-col gap-2">
      {part !== undefined && (
        <div aria-hidden className="flex h-2 overflow-hidden rounded-full bg-accent">
          <div className="border-r-2 border-raised bg-line-strong" style={{ width: `${part}%` }} />
        </div>
      )}
      <dl className="flex flex-wrap gap-x-6 gap-y-1 tabular-nums">
        <Timing name={t('firstByte')} value={first === null ? '–' : durationText(first, locale)} />
        {first !== null && <Timing name={t('rest')} value={durationText(Math.max(0, duration - first), locale)} />}
        <Timing name={t('duration')} value={durationText(duration, locale)} />
      </dl>
    </div>
  )
}

function Timing({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="flex gap-2">
      <dt className="text-muted">{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
