import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ModelView } from '#contract/schemas.ts'
import { errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { modelEditBody, modelFormOf } from '#renderer/data/model-form.ts'
import { DisplayNameField, KindField, SizeFields } from '#renderer/pages/models/ModelFields.tsx'

const FIELDS = ['display_name', 'kind', 'context_window', 'max_output_tokens'] as const

type EditModelProps = { readonly model: ModelView; readonly onClose: () => void }

export function EditModel({ model, onClose }: EditModelProps) {
  const { t } = useTranslation('models')
  const [form, setForm] = useState(() => modelFormOf(model))
  const edit = useAction('editModel', {
    done: t('edit.done', { name: model.id }),
    onDone: onClose,
    showsOwnErrors: true,
  })
  const body = modelEditBody(form, model)
  const part = { form, set: (change: Partial<typeof form>) => setForm({ ...form, ...change }), error: edit.error }
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('edit.of', { name: model.id })}
      description={t('edit.text')}
      action={t('save')}
      isBusy={edit.isPending}
      isDisabled={body === undefined || Object.keys(body).length === 0}
      problem={errorBeside(edit.error, FIELDS)}
      onSubmit={() => body && edit.mutate({ id: model.id, body })}
    >
      <DisplayNameField {...part} />
      <KindField {...part} />
      <SizeFields {...part} />
    </FormDialog>
  )
}
