import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyCreated } from '#contract/schemas.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Input, Select } from '#renderer/components/input.tsx'
import { ExpiryField, FIRST_EXPIRY } from '#renderer/pages/keys/ExpiryField.tsx'
import { KeyMade } from '#renderer/pages/keys/KeyMade.tsx'
import { PackageField } from '#renderer/pages/keys/PackageField.tsx'

type CreateKeyProps = { readonly role: 'administrator' | 'member'; readonly onClose: () => void }

const FIELDS = ['name', 'package', 'owner', 'expires'] as const

/** Asks for what a key needs, then shows its value, which nothing can show again. */
export function CreateKey({ role, onClose }: CreateKeyProps) {
  const [made, setMade] = useState<{ readonly key: KeyCreated; readonly packageId: string }>()
  if (made !== undefined) return <KeyMade made={made.key} packageId={made.packageId} onClose={onClose} />
  return <CreateForm role={role} onClose={onClose} onMade={(key, packageId) => setMade({ key, packageId })} />
}

type CreateFormProps = CreateKeyProps & { readonly onMade: (key: KeyCreated, packageId: string) => void }

function CreateForm({ role, onClose, onMade }: CreateFormProps) {
  const { t } = useTranslation('keys')
  const isAdministrator = role === 'administrator'
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<string>()
  const [owner, setOwner] = useState('')
  const [expiry, setExpiry] = useState(FIRST_EXPIRY)
  const packages = useApi('listPackages', {})
  const members = useApi('listMembers', {}, { isEnabled: isAdministrator })
  const found = packages.data?.find(({ id }) => id === chosen) ?? packages.data?.[0]
  const create = useAction('createKey', {
    onDone: (key) => {
      // The answer holds the key's value, which nothing but the next panel may keep.
      create.reset()
      onMade(key, found?.id ?? '')
    },
    showsOwnErrors: true,
  })
  const submit = () => {
    if (found === undefined) return
    const body = { name: name.trim(), package: found.id, expires: expiry.value }
    create.mutate({ body: owner === '' ? body : { ...body, owner } })
  }
  const isReady = name.trim() !== '' && found !== undefined && expiry.value !== ''
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('create')}
      description={t('createText')}
      action={t('create')}
      isBusy={create.isPending}
      isDisabled={!isReady}
      problem={packages.error?.message ?? errorBeside(create.error, FIELDS)}
      onSubmit={submit}
    >
      <Field label={t('name.label')} hint={t('name.hint')} error={errorAt(create.error, 'name')}>
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
      {isAdministrator && (
        <OwnerField
          names={members.data?.map((member) => member.name) ?? []}
          owner={owner}
          onChange={setOwner}
          error={errorAt(create.error, 'owner')}
        />
      )}
      <ExpiryField
        expiry={expiry}
        onChange={setExpiry}
        isShort={!isAdministrator}
        zone={found?.timezone}
        error={errorAt(create.error, 'expires')}
      />
    </FormDialog>
  )
}

type OwnerFieldProps = {
  readonly names: readonly string[]
  readonly owner: string
  readonly onChange: (owner: string) => void
  readonly error: string | undefined
}

function OwnerField({ names, owner, onChange, error }: OwnerFieldProps) {
  const { t } = useTranslation('keys')
  return (
    <Field label={t('column.owner')} hint={t('ownerHint')} error={error}>
      {(control) => (
        <Select {...control} value={owner} onChange={(event) => onChange(event.target.value)}>
          <option value="">{t('noOwner')}</option>
          {names.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
