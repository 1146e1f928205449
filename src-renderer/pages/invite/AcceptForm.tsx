import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { acceptInvite } from '#renderer/api/session.ts'
import { forgetInviteCode } from '#renderer/app/ticket.ts'
import { Button } from '#renderer/components/button.tsx'
import { Field } from '#renderer/components/field.tsx'
import { PasswordInput } from '#renderer/components/password-input.tsx'
import { isPasswordShort, MIN_PASSWORD, MAX_PASSWORD } from '#renderer/data/member-form.ts'
import { useFailure } from '#renderer/pages/sign-in/use-failure.ts'

/** Asks for the password that the member will sign in with from now on. */
export function AcceptForm({ code }: { readonly code: string }) {
  const { t } = useTranslation('invite')
  const [password, setPassword] = useState('')
  const { accept, isBusy, text, secondsLeft } = useAccept(code)
  const short = isPasswordShort(password) ? t('short', { count: MIN_PASSWORD }) : undefined
  const waiting = secondsLeft > 0 ? t('throttled', { count: secondsLeft }) : undefined
  const isReady = password !== '' && short === undefined && !isBusy && secondsLeft === 0
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) void accept(password)
  }
  return (
    <form className="flex flex-col gap-4" noValidate onSubmit={onSubmit}>
      <Field label={t('password')} hint={t('passwordHint', { count: MIN_PASSWORD })} error={waiting ?? short ?? text}>
        {(control) => (
          <PasswordInput
            control={control}
            password={password}
            onChange={setPassword}
            maxLength={MAX_PASSWORD}
            words={{ show: t('show'), hide: t('hide') }}
          />
        )}
      </Field>
      <Button type="submit" look="primary" isBusy={isBusy} disabled={!isReady}>
        {t('accept')}
      </Button>
    </form>
  )
}

function useAccept(code: string) {
  const { t } = useTranslation('invite')
  const queryClient = useQueryClient()
  const router = useRouter()
  const [isBusy, setIsBusy] = useState(false)
  const { text, secondsLeft, note, forget } = useFailure()
  const accept = async (password: string) => {
    setIsBusy(true)
    forget()
    try {
      await acceptInvite(queryClient, code, password)
      forgetInviteCode()
      await router.navigate({ to: '/welcome' })
    } catch (error) {
      note(error, t('over'))
      setIsBusy(false)
    }
  }
  return { accept, isBusy, text, secondsLeft }
}
