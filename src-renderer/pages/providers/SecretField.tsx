import { useTranslation } from 'react-i18next'
import { Field } from '#renderer/components/field.tsx'
import { Input } from '#renderer/components/input.tsx'

type SecretFieldProps = {
  readonly secret: string
  readonly onChange: (secret: string) => void
  readonly isOptional?: boolean
  readonly error: string | undefined
}

/** A secret as it is given; it is never shown again. */
export function SecretField({ secret, onChange, isOptional = false, error }: SecretFieldProps) {
  const { t } = useTranslation('providers')
  return (
    <Field
      label={t('column.secret')}
      hint={t('secret.hint')}
      error={error}
      isOptional={isOptional}
      optionalWord={t('optional')}
    >
      {(control) => (
        <Input
          {...control}
          type="password"
          // Browsers offer to keep what looks like a password of this page, which it is not.
          autoComplete="new-password"
          maxLength={10_000}
          value={secret}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
