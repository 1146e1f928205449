import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '#contract/schemas.ts'
import { errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { LABEL_NAMES, labelsBody, labelTextsOf } from '#renderer/data/key-labels.ts'
import { LabelFields } from '#renderer/pages/keys/LabelFields.tsx'

/** Says what the calls of a key are counted to from now on. */
export function LabelKey({ item, onClose }: { readonly item: KeyView; readonly onClose: () => void }) {
  const { t } = useTranslation('keys')
  const { name, id } = item
  const [labels, setLabels] = useState(() => labelTextsOf(item))
  const edit = useAction('editKey', { done: t('done.label', { name }), onDone: onClose, showsOwnErrors: true })
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('labels.editTitle', { name })}
      action={t('labels.save')}
      isBusy={edit.isPending}
      problem={errorBeside(edit.error, LABEL_NAMES)}
      onSubmit={() => edit.mutate({ id, body: labelsBody(labels) })}
    >
      <LabelFields labels={labels} onChange={setLabels} error={edit.error} />
    </FormDialog>
  )
}
