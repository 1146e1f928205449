import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SettingsView } from '#contract/audit.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Field, type ControlProps } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Input, Select } from '#renderer/components/input.tsx'

export type Setting = SettingsView['settings'][number]
type ChangeSettingProps = { readonly setting: Setting; readonly onClose: () => void }

/** Changes a setting from now on, or sets it back. */
export function ChangeSetting({ setting, onClose }: ChangeSettingProps) {
  const { t } = useTranslation('settings')
  const { name, description } = setting
  const [text, setText] = useState(setting.value ?? '')
  const set = useAction('setSetting', { done: t('change.done', { name }), onDone: onClose, showsOwnErrors: true })
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('change.of', { name })}
      description={t(`meanings.${name}`, { defaultValue: description })}
      action={t('change.save')}
      isBusy={set.isPending}
      isDisabled={text.trim() === ''}
      problem={errorBeside(set.error, ['value'])}
      onSubmit={() => set.mutate({ id: name, body: { value: text.trim() } })}
    >
      <Field label={t('effective.value')} hint={t('change.hint')} error={errorAt(set.error, 'value')}>
        {(control) => <ValueControl control={control} choices={setting.choices} text={text} onChange={setText} />}
      </Field>
      {setting.source === 'stored' && (
        <Button className="self-start" onClick={() => set.mutate({ id: name, body: { value: null } })}>
          {t('change.back')}
        </Button>
      )}
    </FormDialog>
  )
}

type ValueControlProps = {
  readonly control: ControlProps
  readonly choices: Setting['choices']
  readonly text: string
  readonly onChange: (text: string) => void
}

function ValueControl({ control, choices, text, onChange }: ValueControlProps) {
  if (choices === null) {
    return <Input {...control} maxLength={100} value={text} onChange={(event) => onChange(event.target.value)} />
  }
  return (
    <Select {...control} value={text} onChange={(event) => onChange(event.target.value)}>
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </Select>
  )
}
