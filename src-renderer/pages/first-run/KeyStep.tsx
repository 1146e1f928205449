import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyCreated, KeyView, PackageView } from '#contract/schemas.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { AmountField } from '#renderer/components/amount-field.tsx'
import { Button } from '#renderer/components/button.tsx'
import { CopyField } from '#renderer/components/copy.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Input, Select } from '#renderer/components/input.tsx'
import { freeName } from '#renderer/data/preset-choice.ts'
import { NEW_PACKAGE, useCreateKey } from '#renderer/pages/first-run/use-create-key.ts'

type KeyStepProps = {
  readonly keys: readonly KeyView[]
  readonly packages: readonly PackageView[]
  /** A key that was made just now, with its value. */
  readonly created: KeyCreated | undefined
  readonly onCreated: (key: KeyCreated) => void
  /** Goes on with a key that is there, whose value somebody has kept. */
  readonly onChosen: (id: string) => void
}

export function KeyStep({ keys, packages, created, onCreated, onChosen }: KeyStepProps) {
  const { t } = useTranslation('first-run')
  if (created !== undefined) {
    return (
      <div className="flex flex-col items-start gap-4">
        <p>{t('key.made', { name: created.name })}</p>
        <CopyField label={t('key.value')} text={created.key} className="w-full" />
        <Button look="primary" onClick={() => onChosen(created.id)}>
          {t('key.goOn')}
        </Button>
      </div>
    )
  }
  const active = keys.filter(({ status }) => status === 'active')
  return (
    <div className="flex flex-col gap-6">
      <NewKey names={keys.map(({ name }) => name)} packages={packages} onCreated={onCreated} />
      {active.length > 0 && <OldKey keys={active} onChosen={onChosen} />}
    </div>
  )
}

type NewKeyProps = {
  readonly names: readonly string[]
  readonly packages: readonly PackageView[]
  readonly onCreated: (key: KeyCreated) => void
}

function NewKey({ names, packages, onCreated }: NewKeyProps) {
  const { t } = useTranslation('first-run')
  const [name, setName] = useState(() => freeName(t('key.example'), names))
  const [packageName, setPackageName] = useState(packages[0]?.name ?? NEW_PACKAGE)
  const [credits, setCredits] = useState('50')
  const create = useCreateKey(onCreated)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!create.isPending) create.mutate({ name, packageName, credits, packages: packages.map((one) => one.name) })
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('key.name')} hint={t('key.nameHint')} error={errorAt(create.error, 'name')}>
          {(control) => (
            <Input {...control} maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
          )}
        </Field>
        <Field label={t('key.package')} hint={t('key.packageHint')} error={errorAt(create.error, 'package')}>
          {(control) => (
            <Select {...control} value={packageName} onChange={(event) => setPackageName(event.target.value)}>
              {packages.map((one) => (
                <option key={one.id} value={one.name}>
                  {one.name}
                </option>
              ))}
              <option value={NEW_PACKAGE}>{t('key.newPackage')}</option>
            </Select>
          )}
        </Field>
      </div>
      {packageName === NEW_PACKAGE && (
        <AmountField
          label={t('key.credits')}
          hint={t('key.creditsHint')}
          sign="notNegative"
          text={credits}
          onChange={setCredits}
          error={errorAt(create.error, 'credits')}
        />
      )}
      <Problem text={errorBeside(create.error, ['name', 'package', 'credits'])} />
      <Button
        type="submit"
        look="primary"
        className="self-start"
        isBusy={create.isPending}
        disabled={name.trim() === ''}
      >
        {t('key.create')}
      </Button>
    </form>
  )
}

function OldKey({ keys, onChosen }: { readonly keys: readonly KeyView[]; readonly onChosen: (id: string) => void }) {
  const { t } = useTranslation('first-run')
  const [id, setId] = useState(keys[0]?.id ?? '')
  return (
    <div className="flex flex-wrap items-end gap-2 border-t border-line pt-4">
      <Field label={t('key.old')} hint={t('key.oldHint')} className="min-w-60 flex-1">
        {(control) => (
          <span className="flex gap-2">
            <Select {...control} value={id} onChange={(event) => setId(event.target.value)}>
              {keys.map((key) => (
                <option key={key.id} value={key.id}>
                  {key.name}
                </option>
              ))}
            </Select>
            <Button onClick={() => onChosen(id)}>{t('key.use')}</Button>
          </span>
        )}
      </Field>
    </div>
  )
}
