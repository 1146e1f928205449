import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyCreated } from '#contract/schemas.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Select } from '#renderer/components/input.tsx'
import { labelsOf, LABEL_NAMES, NO_LABELS } from '#renderer/data/key-labels.ts'
import { ExpiryField, FIRST_EXPIRY } from '#renderer/pages/keys/ExpiryField.tsx'
import { KeyMade } from '#renderer/pages/keys/KeyMade.tsx'
import { LabelFields } from '#renderer/pages/keys/LabelFields.tsx'
import { NewKeyFields } from '#renderer/pages/keys/NewKeyFields.tsx'
import { useNewKey } from '#renderer/pages/keys/use-new-key.ts'

type CreateKeyProps = { readonly role: 'administrator' | 'member'; readonly onClose: () => void }

const FIELDS = ['name', 'package', 'owner', 'expires', ...LABEL_NAMES] as const

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
  const [owner, setOwner] = useState('')
  const [labels, setLabels] = useState(NO_LABELS)
  const [expiry, setExpiry] = useState(FIRST_EXPIRY)
  const members = useApi('listMembers', {}, { isEnabled: isAdministrator })
  const newKey = useNewKey(onMade)
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('create')}
      description={t('createText')}
      action={t('create')}
      isBusy={newKey.isBusy}
      isDisabled={!newKey.isReady || expiry.value === ''}
      problem={newKey.packagesError?.message ?? errorBeside(newKey.error, FIELDS)}
      onSubmit={() => newKey.create({ expires: expiry.value, ...(owner === '' ? {} : { owner }), ...labelsOf(labels) })}
    >
      <NewKeyFields newKey={newKey} nameHint={t('name.hint')} />
      {isAdministrator && (
        <OwnerField
          names={members.data?.map((member) => member.name) ?? []}
          owner={owner}
          onChange={setOwner}
          error={errorAt(newKey.error, 'owner')}
        />
      )}
      <ExpiryField
        expiry={expiry}
        onChange={setExpiry}
        isShort={!isAdministrator}
        zone={newKey.chosenPackage?.timezone}
        error={errorAt(newKey.error, 'expires')}
      />
      {isAdministrator && <LabelFields labels={labels} onChange={setLabels} error={newKey.error} />}
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
