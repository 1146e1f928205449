import { useTranslation } from 'react-i18next'
import type { PackageView } from '#contract/schemas.ts'
import { Field } from '#renderer/components/field.tsx'
import { Select } from '#renderer/components/input.tsx'
import { PackageFacts } from '#renderer/components/package-facts.tsx'

type PackageFieldProps = {
  readonly packages: readonly PackageView[] | undefined
  readonly found: PackageView | undefined
  readonly onChange: (id: string) => void
  readonly error: string | undefined
}

/** The package of a new key, and what it gives. */
export function PackageField({ packages, found, onChange, error }: PackageFieldProps) {
  const { t } = useTranslation('keys')
  const problem = error ?? (packages?.length === 0 ? t('noPackages') : undefined)
  return (
    <>
      <Field label={t('column.package')} error={problem}>
        {(control) => (
          <Select {...control} value={found?.id ?? ''} onChange={(event) => onChange(event.target.value)}>
            {packages?.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {found !== undefined && (
        <div className="rounded-md bg-sunken px-3 py-2">
          <PackageFacts item={found} />
        </div>
      )}
    </>
  )
}
