import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { LanView } from '#contract/lan.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Input, Select } from '#renderer/components/input.tsx'
import { Switch } from '#renderer/components/switch.tsx'
import { lanChangeOf, lanFormOf, lanPlaces, type LanForm } from '#renderer/data/lan-form.ts'

const FIELDS = ['interface', 'address', 'port', 'names']

type LanDialogProps = { readonly lan: LanView; readonly onClose: () => void }

/** Where other machines reach the gateway; turns it on with what is chosen. */
export function LanDialog({ lan, onClose }: LanDialogProps) {
  const { t } = useTranslation('settings')
  const [form, setForm] = useState(() => lanFormOf(lan))
  const set = useAction('setLan', { done: t('lan.isOn'), onDone: onClose, showsOwnErrors: true })
  const body = lanChangeOf(form)
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('lan.title')}
      description={t('lan.dialog')}
      action={t(lan.state === 'off' ? 'lan.turnOnNow' : 'lan.change')}
      isBusy={set.isPending}
      isDisabled={body === undefined}
      problem={errorBeside(set.error, FIELDS)}
      onSubmit={() => body !== undefined && set.mutate({ body })}
    >
      <LanFields lan={lan} form={form} onChange={setForm} error={set.error} />
    </FormDialog>
  )
}

type LanFieldsProps = {
  readonly lan: LanView
  readonly form: LanForm
  readonly onChange: (form: LanForm) => void
  readonly error: Error | null
}

function LanFields({ lan, form, onChange, error }: LanFieldsProps) {
  const { t } = useTranslation('settings')
  return (
    <>
      <Field label={t('lan.interface')} error={errorAt(error, 'interface') ?? errorAt(error, 'address')}>
        {(control) => (
          <Select
            {...control}
            value={form.place}
            onChange={(event) => onChange({ ...form, place: event.target.value })}
          >
            {lanPlaces(lan).map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t('lan.port')} error={errorAt(error, 'port')}>
        {(control) => (
          <Input
            {...control}
            inputMode="numeric"
            value={form.port}
            maxLength={5}
            onChange={(event) => onChange({ ...form, port: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('lan.names')} hint={t('lan.namesHint')} error={errorAt(error, 'names')}>
        {(control) => (
          <Input
            {...control}
            value={form.names}
            maxLength={2000}
            onChange={(event) => onChange({ ...form, names: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('lan.administration')} hint={t('lan.administrationHint')} layout="row">
        {(control) => (
          <Switch
            {...control}
            checked={form.administration}
            onCheckedChange={(administration) => onChange({ ...form, administration })}
          />
        )}
      </Field>
    </>
  )
}
