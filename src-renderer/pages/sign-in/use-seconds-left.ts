import { useEffect, useState } from 'react'

/** Whole seconds until `untilMs`, counting down to 0. */
export function useSecondsLeft(untilMs: number | undefined): number {
  const [nowMs, setNowMs] = useState(() => Date.now())
  useEffect(() => {
    if (untilMs === undefined) return undefined
    const tick = () => {
      setNowMs(Date.now())
      if (Date.now() >= untilMs) clearInterval(timer)
    }
    const timer = setInterval(tick, 250)
    tick()
    return () => clearInterval(timer)
  }, [untilMs])
  return untilMs === undefined ? 0 : Math.max(0, Math.ceil((untilMs - nowMs) / 1000))
}
