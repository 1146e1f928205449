import { Pause, Play } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Status } from '#renderer/components/badge.tsx'
import { Button } from '#renderer/components/button.tsx'
import { StaleMark } from '#renderer/components/states.tsx'

type LiveStateProps = {
  readonly connection: 'connecting' | 'open' | 'waiting'
  /** Since when no events have come. */
  readonly lostAtMs: number | undefined
  readonly isPaused: boolean
  readonly onPause: () => void
}

/** Whether what happens is shown as it happens, and if not why. */
export function LiveState({ connection, lostAtMs, isPaused, onPause }: LiveStateProps) {
  const { t } = useTranslation('requests')
  const state =
    lostAtMs === undefined ? (connection === 'open' ? (isPaused ? 'paused' : 'live') : 'connecting') : 'lost'
  const tone = { live: 'live', paused: 'calm', connecting: 'waiting', lost: 'low' } as const
  return (
    <>
      {lostAtMs !== undefined && <StaleMark atMs={lostAtMs} />}
      <span role="status">
        <Status tone={tone[state]}>{t(`state.${state}`)}</Status>
      </span>
      <Button aria-pressed={isPaused} onClick={onPause}>
        {isPaused ? <Play aria-hidden /> : <Pause aria-hidden />}
        {t(isPaused ? 'resume' : 'pause')}
      </Button>
    </>
  )
}
