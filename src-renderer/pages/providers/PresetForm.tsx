import { ArrowLeft, ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Preset } from '#contract/presets.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Input, Select } from '#renderer/components/input.tsx'
import {
  addFormOf,
  baseUrlOf,
  dialectsOf,
  hasPlaceholder,
  providerCreateBody,
  type AddForm,
} from '#renderer/data/provider-form.ts'
import { networkAt } from '#renderer/data/preset-choice.ts'
import { secretKindsOf } from '#renderer/data/secret-kinds.ts'
import { NetworkField } from '#renderer/pages/providers/NetworkField.tsx'
import { SecretField } from '#renderer/pages/providers/SecretField.tsx'

const FIELDS = ['name', 'dialect', 'base_url', 'network', 'secret'] as const

type PresetFormProps = {
  readonly preset: Preset
  /** What is filled in already, instead of what the preset has. */
  readonly given?: Partial<Pick<AddForm, 'name' | 'dialect' | 'baseUrl'>>
  readonly taken: readonly string[]
  readonly onClose: () => void
  readonly onBack: () => void
  readonly onAdded: (id: string) => void
}

export function PresetForm({ preset, given, taken, onClose, onBack, onAdded }: PresetFormProps) {
  const { t } = useTranslation('providers')
  const [form, setForm] = useState(() => ({ ...addFormOf(preset, taken), ...given }))
  // It follows the base URL until somebody says where the provider is.
  const [isNetworkChosen, setIsNetworkChosen] = useState(false)
  const set = (change: Partial<AddForm>) => {
    if (change.network !== undefined) setIsNetworkChosen(true)
    const isFollowing = change.baseUrl !== undefined && !isNetworkChosen
    const place = isFollowing ? { network: networkAt(change.baseUrl, preset) } : {}
    setForm({ ...form, ...change, ...place })
  }
  const add = useAction('addProvider', {
    done: ({ name }) => t('add.done', { name }),
    onDone: ({ id }) => {
      onClose()
      onAdded(id)
    },
    showsOwnErrors: true,
  })
  const body = providerCreateBody(form, preset)
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('add.of', { name: preset.display_name })}
      action={t('add.action')}
      isBusy={add.isPending}
      isDisabled={body === undefined}
      problem={errorBeside(add.error, FIELDS)}
      onSubmit={() => body && add.mutate({ body })}
    >
      <div>
        <Button size="small" look="quiet" onClick={onBack} className="-ml-2">
          <ArrowLeft aria-hidden />
          {t('add.back')}
        </Button>
      </div>
      <Notes preset={preset} />
      <Field label={t('field.name')} hint={t('field.nameHint')} error={errorAt(add.error, 'name')}>
        {(control) => (
          <Input
            {...control}
            maxLength={100}
            value={form.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        )}
      </Field>
      <AddressFields preset={preset} form={form} set={set} error={add.error} />
      {preset.secret !== 'none' && (
        <>
          <SecretField
            kinds={secretKindsOf(preset)}
            secret={form.secret}
            onChange={(secret) => set({ secret })}
            isOptional={preset.secret === 'optional'}
            error={errorAt(add.error, 'secret')}
          />
          <KeyLink url={preset.key_url} />
        </>
      )}
    </FormDialog>
  )
}

function Notes({ preset: { notes = [] } }: { readonly preset: Preset }) {
  if (notes.length === 0) return null
  return (
    <ul className="flex flex-col gap-1 rounded-md bg-sunken p-3 text-xs text-muted" lang="en">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  )
}

function KeyLink({ url }: { readonly url: string | null }) {
  const { t } = useTranslation('providers')
  if (url === null) return null
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className="-mt-2 inline-flex items-center gap-1 text-xs text-accent underline-offset-2 hover:underline"
    >
      {t('add.keyPage')}
      <ExternalLink aria-hidden className="size-3" />
    </a>
  )
}

type AddressFieldsProps = {
  readonly preset: Preset
  readonly form: AddForm
  readonly set: (change: Partial<AddForm>) => void
  readonly error: Error | null
}

function AddressFields({ preset, form, set, error }: AddressFieldsProps) {
  const { t } = useTranslation('providers')
  const dialects = dialectsOf(preset)
  const changeDialect = (text: string) => {
    const dialect = dialects.find((one) => one === text) ?? form.dialect
    // What somebody typed stays; what the preset filled in goes with the dialect.
    const isTyped = form.baseUrl !== baseUrlOf(preset, form.dialect)
    set({ dialect, ...(isTyped ? {} : { baseUrl: baseUrlOf(preset, dialect) }) })
  }
  return (
    <>
      {dialects.length > 1 && (
        <Field label={t('field.dialect')} hint={t('field.dialectHint')} error={errorAt(error, 'dialect')}>
          {(control) => (
            <Select {...control} value={form.dialect} onChange={(event) => changeDialect(event.target.value)}>
              {dialects.map((dialect) => (
                <option key={dialect} value={dialect}>
                  {dialect === preset.dialect ? t('field.dialectUsual', { name: dialect }) : dialect}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <Field
        label={t('field.baseUrl')}
        hint={t('field.baseUrlHint')}
        error={errorAt(error, 'base_url') ?? (hasPlaceholder(form.baseUrl) ? t('field.placeholder') : undefined)}
      >
        {(control) => (
          <Input
            {...control}
            type="url"
            maxLength={2000}
            placeholder="https://api.example.com/v1"
            value={form.baseUrl}
            onChange={(event) => set({ baseUrl: event.target.value })}
          />
        )}
      </Field>
      <NetworkField network={form.network} onChange={(network) => set({ network })} error={errorAt(error, 'network')} />
    </>
  )
}
