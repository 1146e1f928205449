import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Input, Select } from '#renderer/components/input.tsx'
import { EMPTY_MODEL, modelCreateBody, type ModelForm } from '#renderer/data/model-form.ts'
import { readPrice } from '#renderer/data/price-form.ts'
import { PRICE_CLASSES } from '#renderer/data/pricing.ts'
import { DisplayNameField, KindField, SizeFields, type FormPartProps } from '#renderer/pages/models/ModelFields.tsx'
import { PriceFields } from '#renderer/pages/models/PriceFields.tsx'
import { SampleCost } from '#renderer/pages/models/SampleCost.tsx'

const FIELDS = [
  'id',
  'kind',
  'display_name',
  'context_window',
  'max_output_tokens',
  'provider',
  'model',
  ...PRICE_CLASSES,
] as const

export function AddModel({ onClose }: { readonly onClose: () => void }) {
  const { t, i18n } = useTranslation('models')
  const [form, setForm] = useState(EMPTY_MODEL)
  const set = (change: Partial<ModelForm>) => setForm({ ...form, ...change })
  const add = useAction('addModel', {
    done: (model) => t(model.enabled ? 'add.done' : 'add.doneDisabled', { name: model.id }),
    onDone: onClose,
    showsOwnErrors: true,
  })
  const body = modelCreateBody(form, i18n.language)
  const part = { form, set, error: add.error }
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('add.action')}
      description={t('add.text')}
      action={t('add.action')}
      isBusy={add.isPending}
      isDisabled={body === undefined}
      problem={errorBeside(add.error, FIELDS)}
      onSubmit={() => body && add.mutate({ body })}
      className="max-w-2xl"
    >
      <NameFields {...part} />
      <TargetFields {...part} />
      <SizeFields {...part} />
      <div className="flex flex-col gap-1">
        <p className="text-sm font-medium">{t('price.title')}</p>
        <p className="text-xs text-muted">{t('add.priceHint')}</p>
      </div>
      <PriceFields form={form.price} onChange={(price) => set({ price })} error={add.error} />
      <SampleCost before={undefined} now={readPrice(form.price, i18n.language, form.kind)} />
    </FormDialog>
  )
}

function NameFields({ form, set, error }: FormPartProps) {
  const { t } = useTranslation('models')
  return (
    <div className="grid grid-cols-2 items-start gap-4 max-sm:grid-cols-1">
      <Field label={t('field.id')} hint={t('field.idHint')} error={errorAt(error, 'id')}>
        {(control) => (
          <Input {...control} maxLength={200} value={form.id} onChange={(event) => set({ id: event.target.value })} />
        )}
      </Field>
      <KindField form={form} set={set} error={error} />
      <DisplayNameField form={form} set={set} error={error} />
    </div>
  )
}

function TargetFields({ form, set, error }: FormPartProps) {
  const { t } = useTranslation('models')
  const providers = useApi('listProviders', {}).data
  if (providers?.length === 0) {
    return (
      <p className="rounded-md bg-amber-soft p-3 text-sm">
        {t('field.noProvider')}{' '}
        <Link to="/providers" className="font-medium text-accent underline underline-offset-2">
          {t('field.toProviders')}
        </Link>
      </p>
    )
  }
  return (
    <div className="grid grid-cols-2 items-start gap-4 max-sm:grid-cols-1">
      <Field label={t('provider')} hint={t('field.providerHint')} error={errorAt(error, 'provider')}>
        {(control) => (
          <Select {...control} value={form.provider} onChange={(event) => set({ provider: event.target.value })}>
            <option value="">{t('field.choose')}</option>
            {providers?.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t('field.upstream')} hint={t('field.upstreamHint')} error={errorAt(error, 'model')}>
        {(control) => (
          <Input
            {...control}
            maxLength={200}
            placeholder={form.id.trim()}
            value={form.upstreamModel}
            onChange={(event) => set({ upstreamModel: event.target.value })}
          />
        )}
      </Field>
    </div>
  )
}
