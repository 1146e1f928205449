import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { UsageView } from '#contract/schemas.ts'
import { useEvents } from '#renderer/api/events.ts'
import { queryKeyOf } from '#renderer/api/keys.ts'
import { newestOf, usageIn } from '#renderer/data/live.ts'

/** More are never shown. */
const MAX_KEPT = 10
/** However many requests a second there are, the numbers above them move no more often than this. */
const REFRESH_MS = 2000

/** Read anew when something has happened. */
const REFRESHED = ['overview', 'listWaiting'] as const

/** Requests as they arrive. Each also has the overview, and who waits, asked for again, soon but not every time. */
export function useLive(): readonly UsageView[] {
  const queryClient = useQueryClient()
  const [live, setLive] = useState<readonly UsageView[]>([])
  const refresh = useThrottled(
    useCallback(() => {
      for (const action of REFRESHED) void queryClient.invalidateQueries({ queryKey: queryKeyOf(action) })
    }, [queryClient]),
  )
  useEvents((event) => {
    const usage = usageIn(event)
    if (usage !== undefined) setLive((before) => newestOf([usage], before, MAX_KEPT))
    refresh()
  })
  return live
}

/** Runs soon after it is asked to, once for all that ask in the meantime. */
function useThrottled(run: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      run()
    }, REFRESH_MS)
  }, [run])
}
