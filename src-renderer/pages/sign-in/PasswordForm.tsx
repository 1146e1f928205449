import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '#renderer/api/client.ts'
import { signIn } from '#renderer/api/session.ts'
import { Button } from '#renderer/components/button.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Input } from '#renderer/components/input.tsx'
import { useSecondsLeft } from '#renderer/pages/sign-in/use-seconds-left.ts'

/** What an attempt came to: words to show, or how long no further one is taken. */
type Failure = { readonly text: string } | { readonly untilMs: number }

export function PasswordForm({ problem }: { readonly problem: string | undefined }) {
  const { t } = useTranslation('sign-in')
  const queryClient = useQueryClient()
  const router = useRouter()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | undefined>(problem === undefined ? undefined : { text: problem })
  const secondsLeft = useSecondsLeft(failure !== undefined && 'untilMs' in failure ? failure.untilMs : undefined)
  const submit = async () => {
    setIsBusy(true)
    try {
      await signIn(queryClient, { name: name.trim(), password })
      await router.navigate({ to: '/overview' })
    } catch (error) {
      setPassword('')
      setFailure(failureOf(error, t('wrong')))
    } finally {
      setIsBusy(false)
    }
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy && secondsLeft === 0) void submit()
  }
  const waiting = secondsLeft > 0 ? t('throttled', { count: secondsLeft }) : undefined
  return (
    <form className="flex flex-col gap-4" onSubmit={onSubmit}>
      <Field label={t('name')}>
        {(control) => (
          <Input
            {...control}
            required
            maxLength={100}
            autoComplete="username"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field
        label={t('password')}
        error={waiting ?? (failure !== undefined && 'text' in failure ? failure.text : undefined)}
      >
        {(control) => (
          <Input
            {...control}
            required
            type="password"
            maxLength={256}
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" look="primary" isBusy={isBusy} disabled={secondsLeft > 0}>
        {t('submit')}
      </Button>
    </form>
  )
}

/** After too many attempts the wait; for a wrong name or password always the same words; else those of the server. */
function failureOf(error: unknown, wrong: string): Failure {
  if (!(error instanceof ApiError)) return { text: error instanceof Error ? error.message : String(error) }
  if (error.status === 429 && error.retryAfterS !== undefined) return { untilMs: Date.now() + error.retryAfterS * 1000 }
  return { text: error.status === 401 ? wrong : error.message }
}
