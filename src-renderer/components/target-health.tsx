import { useTranslation } from 'react-i18next'
import { Status, type Tone } from '#renderer/components/badge.tsx'
import { Time } from '#renderer/components/time.tsx'
import type { HealthState, TargetHealth } from '#renderer/data/target-health.ts'

const TONES = {
  ok: 'live',
  failing: 'low',
  refused: 'lost',
  open: 'lost',
  'half-open': 'low',
  cooling: 'low',
  unknown: 'calm',
} as const satisfies Record<HealthState, Tone>

const REASONS = [
  'connect',
  'address',
  'timeout',
  'closed',
  'malformed',
  'too_large',
  'secret',
  'status',
  'reported',
  'aborted',
] as const

function reasonOf(reason: string | undefined): (typeof REASONS)[number] | 'other' {
  return REASONS.find((known) => known === reason) ?? 'other'
}

/** How a target is, in a word. */
export function HealthMark({ state, className }: { readonly state: HealthState; readonly className?: string }) {
  const { t } = useTranslation('common')
  return (
    <Status tone={TONES[state]} {...(className === undefined ? {} : { className })}>
      {t(`health.${state}`)}
    </Status>
  )
}

/** What is wrong with a target, since when and until when it is left out. Nothing where it is well. */
export function HealthText({ target }: { readonly target: TargetHealth | undefined }) {
  const { t } = useTranslation('common')
  if (target === undefined) return null
  const { last_failure: failure, left_out_until: until, ignored_cap: ignored, unreported_answers: unreported } = target
  if (target.state === 'ok' && failure === null && ignored === null && unreported === undefined) return null
  const reason = reasonOf(failure?.reason)
  return (
    <p className="text-xs text-muted">
      {failure !== null && (
        <>
          {t(`health.reason.${reason}`)}
          {failure.status !== null && ` (${failure.status})`}, <Time at={failure.at} />
        </>
      )}
      {target.failures > 1 && ` · ${t('health.inRow', { count: target.failures })}`}
      {ignored !== null && (
        <>
          {failure !== null && ' · '}
          {t('health.ignoredCap', { tokens: ignored.output_tokens, cap: ignored.cap })}, <Time at={ignored.at} />
        </>
      )}
      {unreported !== undefined && (
        <>
          {(failure !== null || ignored !== null) && ' · '}
          {t('health.unreported', { count: unreported })}
        </>
      )}
      {until !== null && (
        <>
          {' · '}
          {t('health.again')} <Time at={until} />
        </>
      )}
    </p>
  )
}
