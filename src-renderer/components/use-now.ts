import { useSyncExternalStore } from 'react'

/** Relative times need no more than this, and one timer serves them all. */
export const STEP_MS = 5000

const listeners = new Set<() => void>()
let nowMs = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

/** The time in epoch milliseconds, moving on every few seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => nowMs)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    nowMs = Date.now()
    timer = setInterval(tick, STEP_MS)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  nowMs = Date.now()
  for (const listener of listeners) listener()
}
