// Follows the events of the gateway. EventSource cannot send a header and the session needs one, so this reads the stream itself.

import { useEffect, useRef, useState } from 'react'
import { ApiError, openStream } from '#renderer/api/client.ts'
import { eventReader, type ServerEvent } from '#renderer/data/sse.ts'

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 30_000
/** Farebox sends a comment every 15 seconds. Longer silence is a connection that nobody has at the other end any more. */
const MAX_SILENCE_MS = 45_000

/**
 * A browser has six connections to one address for all of its tabs: whoever opens a seventh would see nothing in it. So those that nobody looks
 * at give theirs back. It is longer than answers are taken for new, so that what was missed meanwhile is read when somebody looks again.
 */
const MAX_HIDDEN_MS = 30_000

export type EventsState = 'connecting' | 'open' | 'waiting'

type FollowOptions = {
  readonly signal: AbortSignal
  /** The id of the last event that was seen, which is kept here. */
  readonly last: { id: string | undefined }
  readonly onEvent: (event: ServerEvent) => void
  readonly onState?: (state: EventsState) => void
}

/** Runs until `signal` or a 401 ends it; after a break it goes on behind the last event that it saw. */
async function followEvents({ signal, last, onEvent, onState }: FollowOptions): Promise<void> {
  let waitMs = FIRST_WAIT_MS
  while (!signal.aborted) {
    onState?.('connecting')
    try {
      const headers = last.id === undefined ? {} : { 'last-event-id': last.id }
      const response = await openStream('events', { headers, signal })
      onState?.('open')
      for await (const event of eventsOf(response)) {
        waitMs = FIRST_WAIT_MS
        last.id = event.id ?? last.id
        onEvent(event)
      }
    } catch (error) {
      if (signal.aborted || (error instanceof ApiError && error.status === 401)) return
      // Whatever broke the connection, the remedy is to wait and connect again.
    }
    onState?.('waiting')
    await pause(waitMs * (0.5 + Math.random()), signal)
    waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)
  }
}

/** Hands every event to `onEvent` while the component is shown, `isOn` holds, and somebody may be looking. */
export function useEvents(
  onEvent: (event: ServerEvent) => void,
  isOn = true,
  onState?: (state: EventsState) => void,
): void {
  const handlers = useRef({ onEvent, onState })
  useEffect(() => {
    handlers.current = { onEvent, onState }
  })
  const last = useRef<{ id: string | undefined }>({ id: undefined })
  const isFollowing = useInSight() && isOn
  useEffect(() => {
    if (!isFollowing) return undefined
    const controller = new AbortController()
    void followEvents({
      signal: controller.signal,
      last: last.current,
      onEvent: (event) => handlers.current.onEvent(event),
      onState: (state) => handlers.current.onState?.(state),
    })
    return () => controller.abort()
  }, [isFollowing])
}

/** Whether the page is in sight, or was a short while ago. */
function useInSight(): boolean {
  const [isInSight, setIsInSight] = useState(true)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      if (document.visibilityState === 'visible') setIsInSight(true)
      else timer = setTimeout(() => setIsInSight(false), MAX_HIDDEN_MS)
    }
    look()
    document.addEventListener('visibilitychange', look)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
  return isInSight
}

async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  const read = eventReader()
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return
  let silence: ReturnType<typeof setTimeout> | undefined
  try {
    for (;;) {
      silence = setTimeout(() => void reader.cancel().catch(() => undefined), MAX_SILENCE_MS)
      const { done, value } = await reader.read()
      clearTimeout(silence)
      if (done) return
      yield* read(value)
    }
  } finally {
    clearTimeout(silence)
    // The stream may have ended in an error of its own, which has been thrown already.
    await reader.cancel().catch(() => undefined)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
