import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyCreated } from '#contract/schemas.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { CopyField } from '#renderer/components/copy.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'
import { PackageField } from '#renderer/pages/keys/PackageField.tsx'

type FirstKeyProps = { readonly made: KeyCreated | undefined; readonly onMade: (key: KeyCreated) => void }

/** Makes a key under one of the packages that are open to the member. */
export function FirstKey({ made, onMade }: FirstKeyProps) {
  const { t } = useTranslation('welcome')
  const packages = useApi('listPackages', {}).data
  if (made !== undefined) {
    return (
      <div className="flex flex-col gap-3">
        <p>{t('key.made', { name: made.name })}</p>
        <CopyField label={t('key.value')} text={made.key} />
      </div>
    )
  }
  if (packages?.length === 0) return <p>{t('key.noPackage')}</p>
  return <KeyForm onMade={onMade} />
}

function KeyForm({ onMade }: Pick<FirstKeyProps, 'onMade'>) {
  const { t } = useTranslation('welcome')
  const packages = useApi('listPackages', {})
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<string>()
  const found = packages.data?.find(({ id }) => id === chosen) ?? packages.data?.[0]
  const create = useAction('createKey', {
    onDone: (key) => {
      // The answer holds the key's value, which nothing but the page may keep.
      create.reset()
      onMade(key)
    },
    showsOwnErrors: true,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (found !== undefined && !create.isPending) create.mutate({ body: { name: name.trim(), package: found.id } })
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Field label={t('key.name')} hint={t('key.nameHint')} error={errorAt(create.error, 'name')}>
        {(control) => (
          <Input {...control} maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
        )}
      </Field>
      <PackageField
        packages={packages.data}
        found={found}
        onChange={setChosen}
        error={errorAt(create.error, 'package')}
      />
      <Problem text={packages.error?.message ?? errorBeside(create.error, ['name', 'package'])} />
      <Button
        type="submit"
        look="primary"
        className="self-start"
        isBusy={create.isPending}
        disabled={name.trim() === '' || found === undefined}
      >
        {t('key.create')}
      </Button>
    </form>
  )
}
