import { Play, Square } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { CLIENT_FORMATS } from '#contract/dialects.ts'
import type { TryBody } from '#contract/reports.ts'
import type { KeyView, ModelView } from '#contract/schemas.ts'
import { Button } from '#renderer/components/button.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Select, Textarea } from '#renderer/components/input.tsx'
import { Switch } from '#renderer/components/switch.tsx'
import { Segments } from '#renderer/components/tabs.tsx'
import { isEmbedding, PATHS, readRequest, requestOf, type Format } from '#renderer/data/try-request.ts'
import { isFor, keyOf, modelOf } from '#renderer/data/choices.ts'
import type { TrySearch } from '#renderer/pages/try/search.ts'

type TryFormProps = {
  readonly keys: readonly KeyView[]
  readonly models: readonly ModelView[]
  readonly search: TrySearch
  readonly onChange: (search: TrySearch) => void
  readonly isRunning: boolean
  readonly onSend: (body: TryBody) => void
  readonly onStop: () => void
}

const OUTPUT_CAP = 1024

export function TryForm(props: TryFormProps) {
  const { keys, models, search, onChange, isRunning, onSend, onStop } = props
  const { t } = useTranslation('try')
  const format = search.format ?? 'chat'
  const key = keyOf(keys, search.key)
  const model = modelOf(models, format, search.model)
  const [mode, setMode] = useState<'text' | 'json'>('text')
  const [prompt, setPrompt] = useState(() => t('example'))
  const [isStream, setIsStream] = useState(true)
  const [json, setJson] = useState('')
  const built = requestOf({ format, model: model ?? '', prompt, isStream, outputCap: OUTPUT_CAP })
  const request = mode === 'text' ? built : readRequest(json)
  const canSend = key !== undefined && request !== undefined && (mode === 'json' || model !== undefined)
  const toMode = (next: 'text' | 'json') => {
    if (next === 'json') setJson(JSON.stringify(built, null, 2))
    setMode(next)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (canSend && !isRunning) onSend({ key: key.id, endpoint: format, request })
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Choices keys={keys} models={models} keyId={key?.id} model={model} format={format} onChange={onChange} />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Segments
          label={t('mode.label')}
          value={mode}
          onChange={toMode}
          choices={(['text', 'json'] as const).map((value) => ({ value, label: t(`mode.${value}`) }))}
        />
        <code className="font-mono text-xs text-muted">POST {PATHS[format]}</code>
      </div>
      {mode === 'text' ? (
        <TextFields
          prompt={prompt}
          onPrompt={setPrompt}
          {...(isEmbedding(format) ? {} : { stream: { isOn: isStream, onChange: setIsStream } })}
        />
      ) : (
        <JsonField json={json} onChange={setJson} isWrong={request === undefined} />
      )}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 text-xs text-muted">{t('notStored')}</p>
        {/* Two buttons, and not one that changes: the press that stops would find it changed, and send again. */}
        {isRunning ? (
          <Button key="stop" onClick={onStop}>
            <Square aria-hidden />
            {t('stop')}
          </Button>
        ) : (
          <Button key="send" type="submit" look="primary" disabled={!canSend}>
            <Play aria-hidden />
            {t('send')}
          </Button>
        )}
      </div>
    </form>
  )
}

type ChoicesProps = Pick<TryFormProps, 'keys' | 'models' | 'onChange'> & {
  readonly keyId: string | undefined
  readonly model: string | undefined
  readonly format: Format
}

function Choices({ keys, models, keyId, model, format, onChange }: ChoicesProps) {
  const { t } = useTranslation('try')
  const fitting = models.filter((one) => isFor(format, one))
  const stateWord = (status: string) => t(`states.${status}`)
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label={t('key')}>
        {(control) => (
          <Select {...control} value={keyId ?? ''} onChange={(event) => onChange({ key: event.target.value })}>
            {keys.map((key) => (
              <option key={key.id} value={key.id}>
                {key.name}
                {/* Such a key can be tried as well, to see what its tool is told. */}
                {key.status !== 'active' && ` (${stateWord(key.status)})`}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t('format')}>
        {(control) => (
          <Select
            {...control}
            value={format}
            onChange={(event) => {
              const chosen = CLIENT_FORMATS.find((one) => one === event.target.value)
              if (chosen !== undefined) onChange({ format: chosen })
            }}
          >
            {CLIENT_FORMATS.map((one) => (
              <option key={one} value={one}>
                {t(`formats.${one}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t('model')} className="sm:col-span-2" error={fitting.length === 0 ? t('noModel') : undefined}>
        {(control) => (
          <Select
            {...control}
            disabled={fitting.length === 0}
            value={model ?? ''}
            onChange={(event) => onChange({ model: event.target.value })}
          >
            {fitting.map((one) => (
              <option key={one.id} value={one.id}>
                {one.display_name === one.id ? one.id : `${one.id} (${one.display_name})`}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </div>
  )
}

type JsonFieldProps = {
  readonly json: string
  readonly onChange: (json: string) => void
  readonly isWrong: boolean
}

function JsonField({ json, onChange, isWrong }: JsonFieldProps) {
  const { t } = useTranslation('try')
  return (
    <Field label={t('json')} error={isWrong ? t('noJson') : undefined} hint={t('jsonHint')}>
      {(control) => (
        <Textarea
          {...control}
          rows={14}
          spellCheck={false}
          value={json}
          onChange={(event) => onChange(event.target.value)}
          className="font-mono text-xs"
        />
      )}
    </Field>
  )
}

type TextFieldsProps = {
  readonly prompt: string
  readonly onPrompt: (prompt: string) => void
  /** Undefined where the answer never comes in pieces. */
  readonly stream?: { readonly isOn: boolean; readonly onChange: (isOn: boolean) => void }
}

function TextFields({ prompt, onPrompt, stream }: TextFieldsProps) {
  const { t } = useTranslation('try')
  return (
    <>
      <Field label={t('prompt')}>
        {(control) => (
          <Textarea {...control} rows={5} value={prompt} onChange={(event) => onPrompt(event.target.value)} />
        )}
      </Field>
      {stream !== undefined && (
        <Field label={t('stream')} layout="row">
          {(control) => <Switch {...control} checked={stream.isOn} onCheckedChange={stream.onChange} />}
        </Field>
      )}
    </>
  )
}
