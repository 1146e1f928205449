import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PackageView } from '#contract/schemas.ts'
import { errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Checkbox } from '#renderer/components/checkbox.tsx'
import { Confirm } from '#renderer/components/confirm.tsx'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { effectsOf, isFinal, packageEdit } from '#renderer/data/package-change.ts'
import { draftOf, formOf } from '#renderer/data/package-form.ts'
import { Effects } from '#renderer/pages/packages/Effects.tsx'
import { PACKAGE_FIELDS, PackageFields } from '#renderer/pages/packages/PackageFields.tsx'

type EditPackageProps = { readonly entity: PackageView; readonly onClose: () => void }

/** Says what a change does to the keys before it is made, and asks once more about what cannot be undone. */
export function EditPackage({ entity, onClose }: EditPackageProps) {
  const { t, i18n } = useTranslation('packages')
  const { id, name } = entity
  const [before] = useState(() => ({ entity, form: formOf(entity, i18n.language) }))
  const [form, setForm] = useState(before.form)
  const [isAsking, setIsAsking] = useState(false)
  const draft = draftOf(form, i18n.language)
  const body = draft && packageEdit(before.entity, draft, before.form.validUntil)
  const effects = body === undefined ? [] : effectsOf(before.entity, body)
  const edit = useAction('editPackage', { done: t('edit.done', { name }), onDone: onClose, showsOwnErrors: true })
  const send = () => {
    setIsAsking(false)
    if (body !== undefined) edit.mutate({ id, body })
  }
  return (
    <>
      <FormDialog
        isOpen
        onOpenChange={onClose}
        title={t('edit.title', { name })}
        action={t('edit.save')}
        isBusy={edit.isPending}
        isDisabled={body === undefined || Object.keys(body).length === 0}
        problem={errorBeside(edit.error, PACKAGE_FIELDS)}
        onSubmit={() => (effects.some(isFinal) ? setIsAsking(true) : send())}
        className="max-w-2xl"
      >
        <PackageFields form={form} onChange={setForm} isNew={false} error={edit.error} />
        {entity.keys > 0 && form.type === before.form.type && form.type !== 'unlimited' && (
          <Field label={t('reset.label')} hint={t('reset.hint')} layout="row">
            {(control) => (
              <Checkbox
                {...control}
                checked={form.isUsageReset}
                onCheckedChange={(checked) => setForm({ ...form, isUsageReset: checked === true })}
              />
            )}
          </Field>
        )}
        <Effects effects={effects} keys={entity.keys} />
      </FormDialog>
      <Confirm
        isOpen={isAsking}
        onOpenChange={setIsAsking}
        title={t('edit.ask', { name, count: entity.keys })}
        description={effects
          .filter(isFinal)
          .map((effect) => t(`effect.${effect.type}`))
          .join(' ')}
        action={t('edit.confirm')}
        isBusy={edit.isPending}
        onConfirm={send}
      />
    </>
  )
}
