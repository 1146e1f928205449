import { useTranslation } from 'react-i18next'
import { errorAt } from '#renderer/api/field-errors.ts'
import { Field } from '#renderer/components/field.tsx'
import { Input } from '#renderer/components/input.tsx'
import { PackageField } from '#renderer/pages/keys/PackageField.tsx'
import type { NewKey } from '#renderer/pages/keys/use-new-key.ts'

/** The name and the package of a new key. */
export function NewKeyFields({ newKey, nameHint }: { readonly newKey: NewKey; readonly nameHint: string }) {
  const { t } = useTranslation('keys')
  const { name, setName, packages, chosenPackage, choosePackage, error } = newKey
  return (
    <>
      <Field label={t('name.label')} hint={nameHint} error={errorAt(error, 'name')}>
        {(control) => (
          <Input {...control} maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
        )}
      </Field>
      <PackageField
        packages={packages}
        found={chosenPackage}
        onChange={choosePackage}
        error={errorAt(error, 'package')}
      />
    </>
  )
}
