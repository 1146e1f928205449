import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Input } from '#renderer/components/input.tsx'
import { useSignIn } from '#renderer/pages/sign-in/use-sign-in.ts'

/**
 * For who has a key and no account. The field is no password field, because browsers offer to keep what is in one; what is typed is
 * covered all the same, and forgotten with the attempt.
 */
export function KeyForm() {
  const { t } = useTranslation('sign-in')
  const [key, setKey] = useState('')
  const { isBusy, isWaiting, error, onSubmit } = useSignIn({
    credentials: () => ({ key: key.trim() }),
    problem: undefined,
    wrong: t('keyWrong'),
    clear: () => setKey(''),
  })
  return (
    <form className="flex flex-col gap-4" onSubmit={onSubmit} autoComplete="off">
      <Field label={t('key')} hint={t('keyHint')} error={error}>
        {(control) => (
          <Input
            {...control}
            required
            autoFocus
            maxLength={200}
            autoCapitalize="none"
            autoCorrect="off"
            placeholder="key_…"
            className="font-mono [-webkit-text-security:disc] placeholder:[-webkit-text-security:none]"
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" look="primary" isBusy={isBusy} disabled={isWaiting}>
        {t('submit')}
      </Button>
    </form>
  )
}
