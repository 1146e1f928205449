import { ExternalLink } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { Preset } from '#contract/presets.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { Button } from '#renderer/components/button.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Input, Select } from '#renderer/components/input.tsx'
import { asksForBaseUrl, baseUrlOf, freeName, networkAt } from '#renderer/data/preset-choice.ts'
import { useAddProvider, type Tested } from '#renderer/pages/first-run/use-add-provider.ts'

type FirstPresetFormProps = {
  readonly presets: readonly Preset[]
  readonly names: readonly string[]
  readonly onTested: (provider: string) => void
}

const FIELDS = ['name', 'secret', 'base_url', 'preset']

export function PresetForm({ presets, names, onTested }: FirstPresetFormProps) {
  const { t } = useTranslation('first-run')
  const [presetId, setPresetId] = useState('')
  const [secret, setSecret] = useState('')
  const [baseUrl, setBaseUrl] = useState('')
  const add = useAddProvider(onTested)
  const preset = presets.find(({ id }) => id === presetId)
  const choose = (id: string) => {
    const chosen = presets.find((one) => one.id === id)
    setPresetId(id)
    setSecret('')
    setBaseUrl(chosen === undefined ? '' : baseUrlOf(chosen))
    add.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (preset === undefined || add.isPending) return
    add.mutate({
      preset: preset.id,
      name: freeName(preset.id, names),
      baseUrl: asksForBaseUrl(preset) ? baseUrl : undefined,
      network: networkAt(baseUrl, preset),
      secret: secret === '' ? undefined : secret,
    })
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Field label={t('preset.provider')} error={errorAt(add.error, 'preset')}>
        {(control) => (
          <Select {...control} value={presetId} onChange={(event) => choose(event.target.value)}>
            <option value="" disabled>
              {t('preset.choose')}
            </option>
            {presets.map(({ id, display_name: name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {preset !== undefined && asksForBaseUrl(preset) && (
        <Field label={t('preset.baseUrl')} hint={t('preset.baseUrlHint')} error={errorAt(add.error, 'base_url')}>
          {(control) => (
            <Input {...control} inputMode="url" value={baseUrl} onChange={(event) => setBaseUrl(event.target.value)} />
          )}
        </Field>
      )}
      {preset !== undefined && preset.secret !== 'none' && (
        <SecretField preset={preset} value={secret} onChange={setSecret} error={errorAt(add.error, 'secret')} />
      )}
      <Problem text={errorBeside(add.error, FIELDS)} />
      {add.data !== undefined && !add.data.result.ok && <TestProblem tested={add.data} onAnyway={onTested} />}
      <Button
        type="submit"
        look="primary"
        className="self-start"
        isBusy={add.isPending}
        disabled={preset === undefined || (preset.secret === 'required' && secret === '')}
      >
        {t('preset.add')}
      </Button>
    </form>
  )
}

type FirstSecretFieldProps = {
  readonly preset: Preset
  readonly value: string
  readonly onChange: (secret: string) => void
  readonly error: string | undefined
}

function SecretField({ preset, value, onChange, error }: FirstSecretFieldProps) {
  const { t } = useTranslation('first-run')
  return (
    <div className="flex flex-col gap-1.5">
      <Field
        label={t(preset.secret === 'required' ? 'preset.secret' : 'preset.secretOptional')}
        hint={t('preset.secretHint')}
        error={error}
      >
        {(control) => (
          <Input
            {...control}
            type="password"
            // The browser's own store of passwords is no place for it.
            autoComplete="off"
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      {preset.key_url !== null && (
        <a
          href={preset.key_url}
          target="_blank"
          rel="noreferrer"
          className="inline-flex items-center gap-1 self-start text-xs text-accent underline"
        >
          {t('preset.where', { name: preset.display_name })}
          <ExternalLink aria-hidden className="size-3.5" />
        </a>
      )}
    </div>
  )
}

/** What the provider had against it, and the way on for who knows better. */
function TestProblem({ tested, onAnyway }: { readonly tested: Tested; readonly onAnyway: (name: string) => void }) {
  const { t } = useTranslation('first-run')
  const { message, advice } = tested.result
  return (
    <div className="flex flex-col items-start gap-2">
      <Problem text={advice === null ? message : `${message} ${advice}`} />
      <Button size="small" onClick={() => onAnyway(tested.name)}>
        {t('preset.anyway')}
      </Button>
    </div>
  )
}
