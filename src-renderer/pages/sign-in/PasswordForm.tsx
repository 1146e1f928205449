import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Input } from '#renderer/components/input.tsx'
import { useSignIn } from '#renderer/pages/sign-in/use-sign-in.ts'

export function PasswordForm({ problem }: { readonly problem: string | undefined }) {
  const { t } = useTranslation('sign-in')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const { isBusy, isWaiting, error, onSubmit } = useSignIn({
    credentials: () => ({ name: name.trim(), password }),
    problem,
    wrong: t('wrong'),
    clear: () => setPassword(''),
  })
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
      <Field label={t('password')} error={error}>
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
      <Button type="submit" look="primary" isBusy={isBusy} disabled={isWaiting}>
        {t('submit')}
      </Button>
    </form>
  )
}
