import { Play, Square } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { TryBody } from '#contract/reports.ts'
import type { KeyView, ModelView } from '#contract/schemas.ts'
import { Button } from '#renderer/components/button.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Textarea } from '#renderer/components/input.tsx'
import { Segments } from '#renderer/components/tabs.tsx'
import { keyOf } from '#renderer/data/choices.ts'
import { isEmbedding, PATHS, readRequest } from '#renderer/data/try-request.ts'
import { draftRequest, type Draft } from '#renderer/data/try-talk.ts'
import { readTools } from '#renderer/data/try-tools.ts'
import { Choices } from '#renderer/pages/try/Choices.tsx'
import type { TrySearch, TrySearchChange } from '#renderer/pages/try/search.ts'
import { TextFields } from '#renderer/pages/try/TextFields.tsx'

type TryFormProps = {
  readonly keys: readonly KeyView[]
  /** Those that the key may ask for. */
  readonly models: readonly ModelView[]
  /** The name of the package that leaves models out. */
  readonly limitedBy: string | undefined
  readonly search: TrySearch
  /** The models that are asked: one, or two side by side. */
  readonly asked: readonly string[]
  readonly draft: Draft
  readonly onChange: (search: TrySearchChange) => void
  readonly onDraft: (draft: Draft) => void
  readonly isRunning: boolean
  /** A body for each model. */
  readonly onSend: (bodies: readonly TryBody[], how: { readonly isTyped: boolean }) => void
  readonly onStop: () => void
}

export function TryForm(props: TryFormProps) {
  const { keys, models, search, asked, draft, onChange, onDraft, isRunning, onSend, onStop } = props
  const { t } = useTranslation('try')
  const format = search.format ?? 'chat'
  const key = keyOf(keys, search.key)
  const [mode, setMode] = useState<'text' | 'json'>('text')
  const [json, setJson] = useState('')
  // A question that is asked begins anew: what was called belongs to the one before.
  const builtFor = (model: string, column: number) => draftRequest({ ...draft, steps: [] }, { format, model, column })
  const typed = mode === 'json' ? readRequest(json) : undefined
  const canSend =
    key !== undefined &&
    (mode === 'json' ? typed !== undefined : asked.length > 0 && readTools(draft.tools) !== undefined)
  const toMode = (next: 'text' | 'json') => {
    if (next === 'json') setJson(JSON.stringify(builtFor(asked[0] ?? '', 0), null, 2))
    setMode(next)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!canSend || isRunning) return
    // What was typed names its model itself; the one beside it gets the same with its own name.
    const columns = typed === undefined || asked.length > 0 ? asked : ['']
    const requestFor = (model: string, column: number) =>
      typed === undefined ? builtFor(model, column) : column === 0 ? typed : { ...typed, model }
    onSend(
      columns.map((model, column) => ({ key: key.id, endpoint: format, request: requestFor(model, column) })),
      { isTyped: typed !== undefined },
    )
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Choices
        keys={keys}
        models={models}
        limitedBy={props.limitedBy}
        keyId={key?.id}
        model={asked[0]}
        other={asked[1]}
        format={format}
        onChange={onChange}
      />
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
        <TextFields draft={draft} onDraft={onDraft} isTextAlone={isEmbedding(format)} />
      ) : (
        <JsonField json={json} onChange={setJson} isWrong={typed === undefined} />
      )}
      <SendLine isRunning={isRunning} canSend={canSend} onStop={onStop} />
    </form>
  )
}

type SendLineProps = Pick<TryFormProps, 'isRunning' | 'onStop'> & { readonly canSend: boolean }

function SendLine({ isRunning, canSend, onStop }: SendLineProps) {
  const { t } = useTranslation('try')
  return (
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
