import { useTranslation } from 'react-i18next'
import { Field } from '#renderer/components/field.tsx'
import { PasswordInput } from '#renderer/components/password-input.tsx'
import { isPasswordShort, MIN_PASSWORD, MAX_PASSWORD } from '#renderer/data/member-form.ts'

type PasswordFieldProps = {
  readonly password: string
  readonly onChange: (password: string) => void
  readonly isOptional: boolean
  readonly error: string | undefined
}

/** It has to be told to its member, so that it can be looked at. */
export function PasswordField({ password, onChange, isOptional, error }: PasswordFieldProps) {
  const { t } = useTranslation('members')
  const short = isPasswordShort(password) ? t('password.short', { count: MIN_PASSWORD }) : undefined
  return (
    <Field
      label={t('password.label')}
      isOptional={isOptional}
      optionalWord={t('optional')}
      hint={t(isOptional ? 'password.later' : 'password.hint')}
      error={error ?? short}
    >
      {(control) => (
        <PasswordInput
          control={control}
          password={password}
          onChange={onChange}
          maxLength={MAX_PASSWORD}
          words={{ show: t('password.show'), hide: t('password.hide') }}
        />
      )}
    </Field>
  )
}
