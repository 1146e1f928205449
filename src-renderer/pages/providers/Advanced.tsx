// What hardly anybody has to change about a provider.

import { useTranslation } from 'react-i18next'
import { errorAt } from '#renderer/api/field-errors.ts'
import { Field } from '#renderer/components/field.tsx'
import { Input, Select } from '#renderer/components/input.tsx'
import { CAP_FIELDS, DISCONNECTS, readTimeLimit, SECRET_HEADERS, TIME_LIMITS } from '#renderer/data/provider-form.ts'
import type { EditPartProps } from '#renderer/pages/providers/edit-part.ts'
import { HeaderFields } from '#renderer/pages/providers/HeaderFields.tsx'
import { QuirkFields } from '#renderer/pages/providers/QuirkFields.tsx'

export function Advanced({ isDemo, ...part }: EditPartProps & { readonly isDemo: boolean }) {
  const { t } = useTranslation('providers')
  return (
    <details className="rounded-md border border-line">
      <summary className="cursor-pointer rounded-md px-3 py-2 text-sm font-medium hover:bg-sunken">
        {t('advanced')}
      </summary>
      <div className="flex flex-col gap-5 border-t border-line p-3">
        <TimeFields {...part} />
        <CallFields {...part} isDemo={isDemo} />
        {!isDemo && <HeaderFields {...part} />}
        <QuirkFields {...part} />
      </div>
    </details>
  )
}

function TimeFields({ form, set, error }: EditPartProps) {
  const { t } = useTranslation('providers')
  return (
    <fieldset>
      <legend className="text-sm font-medium">{t('times.title')}</legend>
      <p className="mt-0.5 mb-2 text-xs text-muted">{t('times.hint')}</p>
      <div className="grid grid-cols-3 items-start gap-4 max-sm:grid-cols-1">
        {TIME_LIMITS.map((name) => (
          <Field
            key={name}
            label={t(`times.${name}`)}
            error={
              errorAt(error, name) ?? (readTimeLimit(form.times[name]) === undefined ? t('times.wrong') : undefined)
            }
          >
            {(control) => (
              <Input
                {...control}
                inputMode="numeric"
                maxLength={8}
                placeholder={t('times.usual')}
                value={form.times[name]}
                onChange={(event) => set({ times: { ...form.times, [name]: event.target.value } })}
              />
            )}
          </Field>
        ))}
      </div>
    </fieldset>
  )
}

const CALL_FIELDS = [
  { field: 'onDisconnect', choices: DISCONNECTS },
  { field: 'outputCapField', choices: CAP_FIELDS },
  { field: 'secretHeader', choices: SECRET_HEADERS },
] as const

function CallFields({ form, set, isDemo }: EditPartProps & { readonly isDemo: boolean }) {
  const { t } = useTranslation('providers')
  const nameOf = (choice: string) => {
    const known = DISCONNECTS.find((one) => one === choice)
    return known === undefined ? choice : t(`disconnect.${known}`)
  }
  return (
    <div className="grid grid-cols-2 items-start gap-4 max-sm:grid-cols-1">
      {CALL_FIELDS.filter(({ field }) => field !== 'secretHeader' || !isDemo).map(({ field, choices }) => (
        <Field key={field} label={t(`field.${field}`)} hint={t(`fieldHint.${field}`)}>
          {(control) => (
            <Select {...control} value={form[field]} onChange={(event) => set({ [field]: event.target.value })}>
              {choices.map((choice) => (
                <option key={choice} value={choice}>
                  {nameOf(choice)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      ))}
    </div>
  )
}
