import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MemberView } from '#contract/members.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { isPasswordShort } from '#renderer/data/member-form.ts'
import { PasswordField } from '#renderer/pages/members/PasswordField.tsx'

export function SetPassword({ member, onClose }: { readonly member: MemberView; readonly onClose: () => void }) {
  const { t } = useTranslation('members')
  const { id, name } = member
  const [password, setPassword] = useState('')
  const set = useAction('setMemberPassword', {
    done: t('done.password', { name }),
    onDone: onClose,
    showsOwnErrors: true,
  })
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('password.title', { name })}
      description={t(member.has_password ? 'password.replaces' : 'password.first')}
      action={t('action.password')}
      isBusy={set.isPending}
      isDisabled={password === '' || isPasswordShort(password)}
      problem={errorBeside(set.error, ['password'])}
      onSubmit={() => set.mutate({ id, body: { password } })}
    >
      <PasswordField
        password={password}
        onChange={setPassword}
        isOptional={false}
        error={errorAt(set.error, 'password')}
      />
    </FormDialog>
  )
}
