import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { createBody, draftOf, EMPTY_FORM } from '#renderer/data/package-form.ts'
import { PACKAGE_FIELDS, PackageFields } from '#renderer/pages/packages/PackageFields.tsx'

export function CreatePackage({ onClose }: { readonly onClose: () => void }) {
  const { t, i18n } = useTranslation('packages')
  const [form, setForm] = useState(EMPTY_FORM)
  const draft = draftOf(form, i18n.language)
  const create = useAction('addPackage', {
    done: (entity) => t('createDone', { name: entity.name }),
    onDone: onClose,
    showsOwnErrors: true,
  })
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('create')}
      description={t('createText')}
      action={t('create')}
      isBusy={create.isPending}
      isDisabled={draft === undefined || form.name.trim() === ''}
      problem={errorBeside(create.error, PACKAGE_FIELDS)}
      onSubmit={() => draft && create.mutate({ body: createBody(form.name, draft) })}
      className="max-w-2xl"
    >
      <PackageFields form={form} onChange={setForm} isNew error={create.error} />
    </FormDialog>
  )
}
