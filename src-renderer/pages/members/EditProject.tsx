import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ProjectView } from '#contract/projects.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { AmountField } from '#renderer/components/amount-field.tsx'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'
import { EMPTY_PROJECT, PROJECT_LIMITS, projectBody, projectFormOf } from '#renderer/data/project-form.ts'

type EditProjectProps = {
  /** Absent where limits are set for a project that has none yet. */
  readonly project?: ProjectView
  readonly onClose: () => void
}

/** What the calls for a project may be charged. */
export function EditProject({ project, onClose }: EditProjectProps) {
  const { t, i18n } = useTranslation('members')
  const [form, setForm] = useState(() =>
    project === undefined ? EMPTY_PROJECT : projectFormOf(project, i18n.language),
  )
  const name = form.name.trim()
  const body = projectBody(form, i18n.language)
  const set = useAction('setProject', { done: t('projects.done', { name }), onDone: onClose, showsOwnErrors: true })
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={project === undefined ? t('projects.add') : t('projects.editTitle', { name })}
      description={t('projects.formText')}
      action={t('save')}
      isBusy={set.isPending}
      isDisabled={body === undefined || name === ''}
      problem={errorBeside(set.error, ['name', ...PROJECT_LIMITS])}
      onSubmit={() => body !== undefined && set.mutate({ id: name, body })}
    >
      {project === undefined && (
        <Field label={t('projects.name')} hint={t('projects.nameHint')} error={errorAt(set.error, 'name')}>
          {(control) => (
            <Input
              {...control}
              maxLength={64}
              value={form.name}
              onChange={(event) => setForm({ ...form, name: event.target.value })}
            />
          )}
        </Field>
      )}
      {PROJECT_LIMITS.map((limit) => (
        <AmountField
          key={limit}
          label={t(`projects.${limit}`)}
          hint={t('projects.emptyHint')}
          text={form[limit]}
          onChange={(text) => setForm({ ...form, [limit]: text })}
          sign="notNegative"
          error={errorAt(set.error, limit)}
        />
      ))}
    </FormDialog>
  )
}
