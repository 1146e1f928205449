import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Field } from '#renderer/components/field.tsx'
import { Input, Select } from '#renderer/components/input.tsx'
import { ENTRA_PARTS, entraSecret, NO_PARTS, type SecretKind } from '#renderer/data/secret-kinds.ts'

type SecretFieldProps = {
  /** What it may be, the usual kind first. */
  readonly kinds: readonly SecretKind[]
  readonly secret: string
  readonly onChange: (secret: string) => void
  readonly isOptional?: boolean
  readonly error: string | undefined
}

/** A secret as it is given; it is never shown again. */
export function SecretField({ kinds, ...field }: SecretFieldProps) {
  const { t } = useTranslation('providers')
  const [kind, setKind] = useState<SecretKind>(kinds[0] ?? 'text')
  const choose = (text: string) => {
    setKind(kinds.find((one) => one === text) ?? kind)
    field.onChange('')
  }
  const Fields = FIELDS[kind]
  return (
    <>
      {kinds.length > 1 && (
        <Field label={t('secret.kind')}>
          {(control) => (
            <Select {...control} value={kind} onChange={(event) => choose(event.target.value)}>
              {kinds.map((one) => (
                <option key={one} value={one}>
                  {t(`secret.kinds.${one}`)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <Fields {...field} />
    </>
  )
}

type FieldsProps = Omit<SecretFieldProps, 'kinds'>

function TextField({ secret, onChange, isOptional = false, error }: FieldsProps) {
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

function KeyFileField({ onChange, error }: FieldsProps) {
  const { t } = useTranslation('providers')
  const read = async (file: File | undefined) => onChange((await file?.text()) ?? '')
  return (
    <Field label={t('secret.keyFile')} hint={t('secret.keyFileHint')} error={error}>
      {(control) => (
        <Input
          {...control}
          type="file"
          accept=".json,application/json"
          className="py-1.5"
          onChange={(event) => void read(event.target.files?.[0])}
        />
      )}
    </Field>
  )
}

function EntraFields({ onChange, error }: FieldsProps) {
  const { t } = useTranslation('providers')
  const [parts, setParts] = useState(NO_PARTS)
  const set = (change: Partial<typeof parts>) => {
    const next = { ...parts, ...change }
    setParts(next)
    onChange(entraSecret(next))
  }
  return ENTRA_PARTS.map((name) => (
    <Field key={name} label={t(`secret.part.${name}`)} error={name === 'client_secret' ? error : undefined}>
      {(control) => (
        <Input
          {...control}
          type={name === 'client_secret' ? 'password' : 'text'}
          autoComplete={name === 'client_secret' ? 'new-password' : 'off'}
          maxLength={1000}
          value={parts[name]}
          onChange={(event) => set({ [name]: event.target.value })}
        />
      )}
    </Field>
  ))
}

const FIELDS = { text: TextField, service_account: KeyFileField, entra_client: EntraFields }
