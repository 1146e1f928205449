import { useState } from 'react'
import { ApiError } from '#renderer/api/client.ts'
import { useSecondsLeft } from '#renderer/pages/sign-in/use-seconds-left.ts'

/** Words to show, or how long no further attempt is taken. */
type Failure = { readonly text: string } | { readonly untilMs: number }

export type FailureState = {
  readonly text: string | undefined
  /** Until another attempt is taken; 0 where one is. */
  readonly secondsLeft: number
  /** `wrong` is what is said of whatever does not let anybody in. */
  readonly note: (error: unknown, wrong: string) => void
  readonly forget: () => void
}

/** What the last attempt to get in came to; `first` is what came of something else, to begin with. */
export function useFailure(first?: string): FailureState {
  const [failure, setFailure] = useState<Failure | undefined>(first === undefined ? undefined : { text: first })
  const secondsLeft = useSecondsLeft(failure !== undefined && 'untilMs' in failure ? failure.untilMs : undefined)
  return {
    text: failure !== undefined && 'text' in failure ? failure.text : undefined,
    secondsLeft,
    note: (error, wrong) => setFailure(failureOf(error, wrong)),
    forget: () => setFailure(undefined),
  }
}

/** After too many attempts the wait; for what is wrong always the same words; else those of the server. */
function failureOf(error: unknown, wrong: string): Failure {
  if (!(error instanceof ApiError)) return { text: error instanceof Error ? error.message : String(error) }
  if (error.status === 429 && error.retryAfterS !== undefined) return { untilMs: Date.now() + error.retryAfterS * 1000 }
  return { text: error.status === 401 ? wrong : error.message }
}
