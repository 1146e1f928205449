import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ProviderView } from '#contract/providers.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'
import { isDemo } from '#renderer/data/demo.ts'
import { editFormOf, isMoved, providerEditBody, TIME_LIMITS, type EditForm } from '#renderer/data/provider-form.ts'
import { Advanced } from '#renderer/pages/providers/Advanced.tsx'
import type { EditPartProps } from '#renderer/pages/providers/edit-part.ts'
import { LimitFields } from '#renderer/pages/providers/LimitFields.tsx'
import { NetworkField } from '#renderer/pages/providers/NetworkField.tsx'

const FIELDS = [
  'base_url',
  'network',
  'concurrent_requests',
  'requests_per_minute',
  'credits_per_day',
  ...TIME_LIMITS,
  'headers',
  'header_secrets',
] as const

type EditProviderProps = {
  readonly provider: ProviderView
  readonly onClose: () => void
  /** After it got an address of another origin, for which its secret is asked anew. */
  readonly onMoved: () => void
}

export function EditProvider({ provider, onClose, onMoved }: EditProviderProps) {
  const { t, i18n } = useTranslation('providers')
  const [form, setForm] = useState(() => editFormOf(provider, i18n.language))
  const keepsSomething = provider.has_secret || provider.header_secrets.length > 0
  const loses = keepsSomething && isMoved(provider.base_url, form.baseUrl)
  const edit = useAction('editProvider', {
    done: t('edit.done', { name: provider.name }),
    onDone: ({ has_secret: hasSecret }) => (provider.has_secret && !hasSecret ? onMoved() : onClose()),
    showsOwnErrors: true,
  })
  const body = providerEditBody(form, provider, i18n.language)
  const part = { form, set: (change: Partial<EditForm>) => setForm({ ...form, ...change }), error: edit.error }
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('edit.of', { name: provider.name })}
      description={t('edit.text')}
      action={t('edit.save')}
      isBusy={edit.isPending}
      isDisabled={body === undefined || Object.keys(body).length === 0}
      problem={errorBeside(edit.error, FIELDS)}
      onSubmit={() => body && edit.mutate({ id: provider.id, body })}
      className="max-w-2xl"
    >
      {provider.dialect !== 'demo' && <AddressFields {...part} />}
      {loses && (
        <p role="alert" className="flex items-start gap-2 rounded-md bg-amber-soft p-3 text-sm">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-amber" />
          {t('edit.losesSecret')}
        </p>
      )}
      <LimitFields {...part} />
      <Advanced {...part} isDemo={isDemo(provider)} />
    </FormDialog>
  )
}

function AddressFields({ form, set, error }: EditPartProps) {
  const { t } = useTranslation('providers')
  return (
    <>
      <Field label={t('field.baseUrl')} hint={t('field.baseUrlHint')} error={errorAt(error, 'base_url')}>
        {(control) => (
          <Input
            {...control}
            type="url"
            maxLength={2000}
            value={form.baseUrl}
            onChange={(event) => set({ baseUrl: event.target.value })}
          />
        )}
      </Field>
      <NetworkField
        network={form.network === 'local' ? 'local' : 'public'}
        onChange={(network) => set({ network })}
        error={errorAt(error, 'network')}
      />
    </>
  )
}
