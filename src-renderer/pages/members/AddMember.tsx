import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'
import { EMPTY_MEMBER, isPasswordShort, memberCreateBody } from '#renderer/data/member-form.ts'
import { LIMIT_NAMES, LimitFields } from '#renderer/pages/members/LimitFields.tsx'
import { PackagesField, RoleField } from '#renderer/pages/members/MemberFields.tsx'
import { PasswordField } from '#renderer/pages/members/PasswordField.tsx'

const FIELDS = ['name', 'role', 'packages', 'password', ...LIMIT_NAMES] as const

export function AddMember({ onClose }: { readonly onClose: () => void }) {
  const { t, i18n } = useTranslation('members')
  const [form, setForm] = useState(EMPTY_MEMBER)
  const body = memberCreateBody(form, i18n.language)
  const packages = useApi('listPackages', {}).data ?? []
  const add = useAction('addMember', {
    done: (member) => t('done.add', { name: member.name }),
    onDone: onClose,
    showsOwnErrors: true,
  })
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('add')}
      description={t('addText')}
      action={t('add')}
      isBusy={add.isPending}
      isDisabled={form.name.trim() === '' || isPasswordShort(form.password) || body === undefined}
      problem={errorBeside(add.error, FIELDS)}
      onSubmit={() => body !== undefined && add.mutate({ body })}
    >
      <Field label={t('column.name')} hint={t('nameHint')} error={errorAt(add.error, 'name')}>
        {(control) => (
          <Input
            {...control}
            maxLength={100}
            value={form.name}
            onChange={(event) => setForm({ ...form, name: event.target.value })}
          />
        )}
      </Field>
      <RoleField role={form.role} onChange={(role) => setForm({ ...form, role })} error={errorAt(add.error, 'role')} />
      <PackagesField
        chosen={form.packages}
        packages={packages}
        onChange={(chosen) => setForm({ ...form, packages: chosen })}
        error={errorAt(add.error, 'packages')}
      />
      <LimitFields limits={form.limits} onChange={(limits) => setForm({ ...form, limits })} error={add.error} />
      <PasswordField
        password={form.password}
        onChange={(password) => setForm({ ...form, password })}
        isOptional
        error={errorAt(add.error, 'password')}
      />
    </FormDialog>
  )
}
