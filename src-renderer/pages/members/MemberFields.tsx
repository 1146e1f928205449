import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { PackageView } from '#contract/schemas.ts'
import { CheckList } from '#renderer/components/check-list.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Select } from '#renderer/components/input.tsx'
import { Segments } from '#renderer/components/tabs.tsx'
import { ROLES, type MemberForm, type MemberRole } from '#renderer/data/member-form.ts'

type RoleFieldProps = {
  readonly role: MemberRole
  readonly onChange: (role: MemberRole) => void
  readonly error: string | undefined
}

export function RoleField({ role, onChange, error }: RoleFieldProps) {
  const { t } = useTranslation('members')
  return (
    <Field label={t('column.role')} hint={t(`roleText.${role}`)} error={error}>
      {(control) => (
        <Select
          {...control}
          value={role}
          onChange={(event) => onChange(ROLES.find((known) => known === event.target.value) ?? role)}
        >
          {ROLES.map((known) => (
            <option key={known} value={known}>
              {t(`role.${known}`)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}

type PackagesFieldProps = {
  readonly chosen: MemberForm['packages']
  readonly packages: readonly PackageView[]
  readonly onChange: (chosen: MemberForm['packages']) => void
  readonly error: string | undefined
}

/** Under which packages a member may make keys. */
export function PackagesField({ chosen, packages, onChange, error }: PackagesFieldProps) {
  const { t } = useTranslation('members')
  const id = useId()
  return (
    <div role="group" aria-labelledby={id} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <span id={id} className="text-sm font-medium">
          {t('column.packages')}
        </span>
        <Segments
          label={t('column.packages')}
          value={chosen === 'all' ? 'all' : 'some'}
          onChange={(next) => onChange(next === 'all' ? 'all' : [])}
          choices={[
            { value: 'all', label: t('packages.all') },
            { value: 'some', label: t('packages.some') },
          ]}
        />
      </div>
      {chosen === 'all' ? (
        <p className="text-xs text-muted">{t('packages.allHint')}</p>
      ) : (
        <>
          <CheckList
            label={t('column.packages')}
            choices={packages.map((one) => ({ value: one.id, label: one.name }))}
            chosen={chosen}
            onChange={onChange}
            empty={t('packages.noneYet')}
            error={error}
          />
          <p className="text-xs text-muted">{t(chosen.length === 0 ? 'packages.noneHint' : 'packages.someHint')}</p>
        </>
      )}
    </div>
  )
}
