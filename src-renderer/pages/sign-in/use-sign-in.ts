// One attempt after the other to sign in, and what came of the last one.

import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '#renderer/api/client.ts'
import { signIn, type Credentials } from '#renderer/api/session.ts'
import { useSecondsLeft } from '#renderer/pages/sign-in/use-seconds-left.ts'

/** What an attempt came to: words to show, or how long no further one is taken. */
type Failure = { readonly text: string } | { readonly untilMs: number }

type SignInOptions = {
  readonly credentials: () => Credentials
  /** What came of something else, to begin with. */
  readonly problem: string | undefined
  /** What is said of credentials that are not good. */
  readonly wrong: string
  /** Forgets what was typed and is secret. */
  readonly clear: () => void
}

export type SignInAttempt = {
  readonly isBusy: boolean
  readonly isWaiting: boolean
  /** To be shown beside the field. */
  readonly error: string | undefined
  readonly onSubmit: (event: FormEvent) => void
}

export function useSignIn({ credentials, problem, wrong, clear }: SignInOptions): SignInAttempt {
  const { t } = useTranslation('sign-in')
  const queryClient = useQueryClient()
  const router = useRouter()
  const [isBusy, setIsBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | undefined>(problem === undefined ? undefined : { text: problem })
  const secondsLeft = useSecondsLeft(failure !== undefined && 'untilMs' in failure ? failure.untilMs : undefined)
  const submit = async () => {
    setIsBusy(true)
    try {
      await signIn(queryClient, credentials())
      await router.navigate({ to: '/overview' })
    } catch (error) {
      clear()
      setFailure(failureOf(error, wrong))
    } finally {
      setIsBusy(false)
    }
  }
  const waiting = secondsLeft > 0 ? t('throttled', { count: secondsLeft }) : undefined
  return {
    isBusy,
    isWaiting: secondsLeft > 0,
    error: waiting ?? (failure !== undefined && 'text' in failure ? failure.text : undefined),
    onSubmit: (event) => {
      event.preventDefault()
      if (!isBusy && secondsLeft === 0) void submit()
    },
  }
}

/** After too many attempts the wait; for what is wrong always the same words; else those of the server. */
function failureOf(error: unknown, wrong: string): Failure {
  if (!(error instanceof ApiError)) return { text: error instanceof Error ? error.message : String(error) }
  if (error.status === 429 && error.retryAfterS !== undefined) return { untilMs: Date.now() + error.retryAfterS * 1000 }
  return { text: error.status === 401 ? wrong : error.message }
}
