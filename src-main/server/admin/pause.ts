// The pause, as administrators begin and end it.

import { isoOrNull } from '#catalog/dates.ts'
import type { PauseView } from '#contract/pause.ts'
import type { Pause } from '#pipeline/pause.ts'
import type { AdminHandlers } from '#server/admin/admin.ts'

const DEFAULT_MINUTES = 60

export function pauseHandlers(pause: Pause): Pick<AdminHandlers, 'pause' | 'resume'> {
  const view = (): PauseView => ({ paused_until: isoOrNull(pause.untilMs) })
  return {
    pause: ({ body }) => {
      pause.begin((body.minutes ?? DEFAULT_MINUTES) * 60_000)
      return view()
    },
    resume: () => {
      pause.end()
      return view()
    },
  }
}
