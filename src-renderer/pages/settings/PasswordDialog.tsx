import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'

const FEWEST_LETTERS = 10
const MAX_LETTERS = 256
const FIELDS = ['old_password', 'password']

/** For a member's own password. Given a place in the page only while it is open, so that nothing typed stays. */
export function PasswordDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('settings')
  const [old, setOld] = useState('')
  const [next, setNext] = useState('')
  const [again, setAgain] = useState('')
  const change = useAction('changePassword', {
    done: t('password.done'),
    onDone: onClose,
    showsOwnErrors: true,
    invalidates: [],
  })
  const isShort = next !== '' && next.length < FEWEST_LETTERS
  const isOther = again !== '' && again !== next
  const isReady = old !== '' && next.length >= FEWEST_LETTERS && again === next
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('password.title')}
      description={t('password.text')}
      action={t('password.change')}
      isBusy={change.isPending}
      isDisabled={!isReady}
      problem={errorBeside(change.error, FIELDS)}
      onSubmit={() => change.mutate({ body: { old_password: old, password: next } })}
    >
      <PasswordField
        label={t('password.old')}
        use="current-password"
        value={old}
        onChange={setOld}
        error={errorAt(change.error, 'old_password')}
      />
      <PasswordField
        label={t('password.new')}
        use="new-password"
        hint={t('password.hint', { count: FEWEST_LETTERS })}
        value={next}
        onChange={setNext}
        error={errorAt(change.error, 'password') ?? (isShort && again !== '' ? t('password.short') : undefined)}
      />
      <PasswordField
        label={t('password.again')}
        use="new-password"
        value={again}
        onChange={setAgain}
        error={isOther ? t('password.other') : undefined}
      />
    </FormDialog>
  )
}

type OwnPasswordFieldProps = {
  readonly label: string
  readonly use: 'current-password' | 'new-password'
  readonly hint?: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

function PasswordField({ label, use, hint, value, onChange, error }: OwnPasswordFieldProps) {
  return (
    <Field label={label} error={error} {...(hint === undefined ? {} : { hint })}>
      {(control) => (
        <Input
          {...control}
          type="password"
          autoComplete={use}
          maxLength={MAX_LETTERS}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
