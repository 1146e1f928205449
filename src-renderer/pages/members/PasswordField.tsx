import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '#renderer/components/button.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Input } from '#renderer/components/input.tsx'
import { isPasswordShort, LEAST_PASSWORD, MOST_PASSWORD } from '#renderer/data/member-form.ts'

type PasswordFieldProps = {
  readonly password: string
  readonly onChange: (password: string) => void
  readonly isOptional: boolean
  readonly error: string | undefined
}

/** A new password, which can be looked at while it is typed: it has to be told to its member. */
export function PasswordField({ password, onChange, isOptional, error }: PasswordFieldProps) {
  const { t } = useTranslation('members')
  const [isShown, setIsShown] = useState(false)
  const short = isPasswordShort(password) ? t('password.short', { count: LEAST_PASSWORD }) : undefined
  return (
    <Field
      label={t('password.label')}
      isOptional={isOptional}
      optionalWord={t('optional')}
      hint={t(isOptional ? 'password.later' : 'password.hint')}
      error={error ?? short}
    >
      {(control) => (
        <span className="relative">
          <Input
            {...control}
            type={isShown ? 'text' : 'password'}
            autoComplete="new-password"
            maxLength={MOST_PASSWORD}
            value={password}
            onChange={(event) => onChange(event.target.value)}
            className="pr-10"
          />
          <IconButton
            label={t(isShown ? 'password.hide' : 'password.show')}
            size="small-icon"
            className="absolute top-1 right-1"
            onClick={() => setIsShown(!isShown)}
          >
            {isShown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
          </IconButton>
        </span>
      )}
    </Field>
  )
}
