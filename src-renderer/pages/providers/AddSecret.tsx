import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ProviderView } from '#contract/providers.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'
import { readLimit } from '#renderer/data/provider-form.ts'
import { ALL_KINDS } from '#renderer/data/secret-kinds.ts'
import { SecretField } from '#renderer/pages/providers/SecretField.tsx'

const FIELDS = ['label', 'weight', 'secret']

/** Another secret beside those that the provider has. */
export function AddSecret({ provider, onClose }: { readonly provider: ProviderView; readonly onClose: () => void }) {
  const { t } = useTranslation('providers')
  const [form, setForm] = useState({ label: '', weight: '1', secret: '' })
  const add = useAction('addProviderSecret', {
    done: t('secret.done', { name: provider.name }),
    onDone: onClose,
    showsOwnErrors: true,
  })
  const label = form.label.trim()
  const secret = form.secret.trim()
  const weight = readLimit(form.weight)
  const send = () => {
    if (weight !== undefined && weight !== null) add.mutate({ id: provider.id, body: { label, secret, weight } })
  }
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('pool.addTitle', { name: provider.name })}
      description={t('pool.addText')}
      action={t('pool.addAction')}
      isBusy={add.isPending}
      isDisabled={label === '' || secret === '' || weight === undefined || weight === null}
      problem={errorBeside(add.error, FIELDS)}
      onSubmit={send}
    >
      <Field label={t('pool.label')} hint={t('pool.labelHint')} error={errorAt(add.error, 'label')}>
        {(control) => (
          <Input
            {...control}
            maxLength={40}
            value={form.label}
            onChange={(event) => setForm({ ...form, label: event.target.value })}
          />
        )}
      </Field>
      <SecretField
        kinds={ALL_KINDS}
        secret={form.secret}
        onChange={(text) => setForm({ ...form, secret: text })}
        error={errorAt(add.error, 'secret')}
      />
      <Field label={t('pool.weightField')} hint={t('pool.weightHint')} error={errorAt(add.error, 'weight')}>
        {(control) => (
          <Input
            {...control}
            inputMode="numeric"
            maxLength={4}
            value={form.weight}
            onChange={(event) => setForm({ ...form, weight: event.target.value })}
          />
        )}
      </Field>
    </FormDialog>
  )
}
