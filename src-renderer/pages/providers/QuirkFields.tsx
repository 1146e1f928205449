import { useTranslation } from 'react-i18next'
import { errorAt } from '#renderer/api/field-errors.ts'
import { Field } from '#renderer/components/field.tsx'
import { Input, Select } from '#renderer/components/input.tsx'
import { CHOICE_NAMES, CHOICE_QUIRKS, readRoutes, readStops, SWITCH_QUIRKS } from '#renderer/data/provider-form.ts'
import type { EditPartProps } from '#renderer/pages/providers/edit-part.ts'

/** How the provider differs from others of its dialect. */
export function QuirkFields({ form, set, error }: EditPartProps) {
  const { t } = useTranslation('providers')
  const { quirks } = form
  const change = (name: keyof typeof quirks, text: string) => set({ quirks: { ...quirks, [name]: text } })
  return (
    <fieldset>
      <legend className="text-sm font-medium">{t('quirks.title')}</legend>
      <p className="mt-0.5 mb-2 text-xs text-muted">{t('quirks.hint')}</p>
      <div className="grid grid-cols-2 items-end gap-4 max-sm:grid-cols-1">
        {SWITCH_QUIRKS.map((name) => (
          <Field key={name} label={t(`quirk.${name}`)}>
            {(control) => (
              <Select {...control} value={quirks[name]} onChange={(event) => change(name, event.target.value)}>
                <option value="">{t('quirks.usual')}</option>
                <option value="yes">{t('quirks.yes')}</option>
                <option value="no">{t('quirks.no')}</option>
              </Select>
            )}
          </Field>
        ))}
        {CHOICE_NAMES.map((name) => (
          <Field key={name} label={t(`quirk.${name}`)}>
            {(control) => (
              <Select {...control} value={quirks[name]} onChange={(event) => change(name, event.target.value)}>
                <option value="">{t('quirks.usual')}</option>
                {CHOICE_QUIRKS[name].map((choice) => (
                  <option key={choice} value={choice}>
                    {choice}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        ))}
        <Field
          label={t('quirk.max_stops')}
          error={
            errorAt(error, 'max_stops') ??
            (readStops(quirks.max_stops) === undefined ? t('quirks.stopsWrong') : undefined)
          }
        >
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              maxLength={2}
              placeholder={t('quirks.usual')}
              value={quirks.max_stops}
              onChange={(event) => change('max_stops', event.target.value)}
            />
          )}
        </Field>
        <RoutesField form={form} set={set} error={error} />
      </div>
    </fieldset>
  )
}

function RoutesField({ form, set, error }: EditPartProps) {
  const { t } = useTranslation('providers')
  const { quirks } = form
  return (
    <Field
      label={t('quirk.routes')}
      error={
        errorAt(error, 'routes') ?? (readRoutes(quirks.routes) === undefined ? t('quirks.routesWrong') : undefined)
      }
    >
      {(control) => (
        <Input
          {...control}
          maxLength={200}
          placeholder={t('quirks.usual')}
          value={quirks.routes}
          onChange={(event) => set({ quirks: { ...quirks, routes: event.target.value } })}
        />
      )}
    </Field>
  )
}
