import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MemberView } from '#contract/members.ts'
import type { PackageView } from '#contract/schemas.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { memberEditBody, memberFormOf } from '#renderer/data/member-form.ts'
import { LIMIT_NAMES, LimitFields } from '#renderer/pages/members/LimitFields.tsx'
import { PackagesField, RoleField } from '#renderer/pages/members/MemberFields.tsx'

type EditMemberProps = {
  readonly member: MemberView
  readonly packages: readonly PackageView[]
  readonly onClose: () => void
}

export function EditMember({ member, packages, onClose }: EditMemberProps) {
  const { t, i18n } = useTranslation('members')
  const { id, name } = member
  const [before] = useState(() => memberFormOf(member, packages, i18n.language))
  const [form, setForm] = useState(before)
  const body = memberEditBody(before, form, i18n.language)
  const edit = useAction('editMember', { done: t('done.edit', { name }), onDone: onClose, showsOwnErrors: true })
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('editTitle', { name })}
      action={t('save')}
      isBusy={edit.isPending}
      isDisabled={body === undefined || Object.keys(body).length === 0}
      problem={errorBeside(edit.error, ['role', 'packages', ...LIMIT_NAMES])}
      onSubmit={() => body !== undefined && edit.mutate({ id, body })}
    >
      <RoleField role={form.role} onChange={(role) => setForm({ ...form, role })} error={errorAt(edit.error, 'role')} />
      <PackagesField
        chosen={form.packages}
        packages={packages}
        onChange={(chosen) => setForm({ ...form, packages: chosen })}
        error={errorAt(edit.error, 'packages')}
      />
      <LimitFields limits={form.limits} onChange={(limits) => setForm({ ...form, limits })} error={edit.error} />
    </FormDialog>
  )
}
