// One attempt after the other to sign in, and what came of the last one.

import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { signIn, type Credentials } from '#renderer/api/session.ts'
import { askedPage } from '#renderer/app/ticket.ts'
import { useFailure } from '#renderer/pages/sign-in/use-failure.ts'

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
  const { text, secondsLeft, note } = useFailure(problem)
  const submit = async () => {
    setIsBusy(true)
    try {
      await signIn(queryClient, credentials())
      router.history.push(askedPage())
    } catch (error) {
      clear()
      note(error, wrong)
    } finally {
      setIsBusy(false)
    }
  }
  const waiting = secondsLeft > 0 ? t('throttled', { count: secondsLeft }) : undefined
  return {
    isBusy,
    isWaiting: secondsLeft > 0,
    error: waiting ?? text,
    onSubmit: (event) => {
      event.preventDefault()
      if (!isBusy && secondsLeft === 0) void submit()
    },
  }
}
