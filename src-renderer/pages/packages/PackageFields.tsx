import { useTranslation } from 'react-i18next'
import { errorAt } from '#renderer/api/field-errors.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { AmountField } from '#renderer/components/amount-field.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Input, Select } from '#renderer/components/input.tsx'
import { PACKAGE_TYPES } from '#renderer/data/package-change.ts'
import { readCount, type PackageForm } from '#renderer/data/package-form.ts'
import { zonesWith } from '#renderer/data/zone-dates.ts'
import { ModelsField } from '#renderer/pages/packages/ModelsField.tsx'

/** What the server may name in a refusal, and is shown where it belongs. */
export const PACKAGE_FIELDS = [
  'name',
  'type',
  'credits',
  'timezone',
  'requests_per_minute',
  'tokens_per_minute',
  'concurrent_requests',
  'models',
  'valid_until',
] as const

type PackageFieldsProps = {
  readonly form: PackageForm
  readonly onChange: (form: PackageForm) => void
  /** A package's name is how files and commands refer to it, so only a new one gets one. */
  readonly isNew: boolean
  readonly error: Error | null
}

export function PackageFields({ form, onChange, isNew, error }: PackageFieldsProps) {
  const { t } = useTranslation('packages')
  const set = (change: Partial<PackageForm>) => onChange({ ...form, ...change })
  return (
    <>
      {isNew && (
        <Field label={t('column.name')} hint={t('nameHint')} error={errorAt(error, 'name')}>
          {(control) => (
            <Input
              {...control}
              maxLength={100}
              value={form.name}
              onChange={(event) => set({ name: event.target.value })}
            />
          )}
        </Field>
      )}
      <div className="grid grid-cols-2 items-start gap-4 max-sm:grid-cols-1">
        <TypeField form={form} set={set} error={error} />
        {form.type !== 'unlimited' && (
          <AmountField
            label={t('credits.label')}
            text={form.credits}
            onChange={(credits) => set({ credits })}
            sign="notNegative"
            hint={t(`credits.${form.type}`)}
            error={errorAt(error, 'credits')}
          />
        )}
        <ZoneField form={form} set={set} isNew={isNew} error={error} />
        <Field label={t('valid.label')} hint={t('valid.hint')} error={errorAt(error, 'valid_until')}>
          {(control) => (
            <Input
              {...control}
              type="date"
              value={form.validUntil}
              onChange={(event) => set({ validUntil: event.target.value })}
            />
          )}
        </Field>
      </div>
      <LimitFields form={form} set={set} error={error} />
      <ModelsField models={form.models} onChange={(models) => set({ models })} error={errorAt(error, 'models')} />
    </>
  )
}

type PackagePartProps = {
  readonly form: PackageForm
  readonly set: (change: Partial<PackageForm>) => void
  readonly error: Error | null
}

function TypeField({ form, set, error }: PackagePartProps) {
  const { t } = useTranslation('packages')
  return (
    <Field label={t('column.type')} hint={t(`typeText.${form.type}`)} error={errorAt(error, 'type')}>
      {(control) => (
        <Select
          {...control}
          value={form.type}
          onChange={(event) => set({ type: PACKAGE_TYPES.find((type) => type === event.target.value) ?? form.type })}
        >
          {PACKAGE_TYPES.map((type) => (
            <option key={type} value={type}>
              {t(`type.${type}`)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}

function ZoneField({ form, set, isNew, error }: PackagePartProps & { readonly isNew: boolean }) {
  const { t } = useTranslation('packages')
  const zone = useApi('overview', {}).data?.gateway.time_zone
  return (
    <Field label={t('column.zone')} hint={t('zoneHint')} error={errorAt(error, 'timezone')}>
      {(control) => (
        <Select {...control} value={form.timezone} onChange={(event) => set({ timezone: event.target.value })}>
          {isNew && <option value="">{zone === undefined ? t('zoneDefault') : t('zoneOf', { zone })}</option>}
          {zonesWith(form.timezone).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}

const LIMITS = [
  { field: 'requests', param: 'requests_per_minute' },
  { field: 'tokens', param: 'tokens_per_minute' },
  { field: 'concurrent', param: 'concurrent_requests' },
] as const

function LimitFields({ form, set, error }: PackagePartProps) {
  const { t } = useTranslation('packages')
  return (
    <fieldset>
      <legend className="text-sm font-medium">{t('limits.title')}</legend>
      <p className="mt-0.5 mb-2 text-xs text-muted">{t('limits.hint')}</p>
      <div className="grid grid-cols-3 items-start gap-4 max-sm:grid-cols-1">
        {LIMITS.map(({ field, param }) => (
          <Field
            key={field}
            label={t(`limits.${field}`)}
            error={errorAt(error, param) ?? (readCount(form[field]) === undefined ? t('limits.wrong') : undefined)}
          >
            {(control) => (
              <Input
                {...control}
                inputMode="numeric"
                maxLength={10}
                placeholder={t('limits.none')}
                value={form[field]}
                onChange={(event) => set({ [field]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
    </fieldset>
  )
}
