import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Textarea } from '#renderer/components/input.tsx'
import { Switch } from '#renderer/components/switch.tsx'
import type { Draft, Exchange } from '#renderer/data/try-talk.ts'
import { ImageField } from '#renderer/pages/try/ImageField.tsx'
import { ToolsField } from '#renderer/pages/try/ToolsField.tsx'

type TextFieldsProps = {
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
  /** Nothing but the text is asked. */
  readonly isTextAlone: boolean
}

/** The request as a few fields, below what was said before. */
export function TextFields({ draft, onDraft, isTextAlone }: TextFieldsProps) {
  const { t } = useTranslation('try')
  return (
    <>
      {!isTextAlone && (
        <Field label={t('system')} hint={t('systemHint')}>
          {(control) => (
            <Textarea
              {...control}
              rows={2}
              value={draft.system}
              onChange={(event) => onDraft({ ...draft, system: event.target.value })}
            />
          )}
        </Field>
      )}
      {draft.earlier.length > 0 && (
        <Earlier earlier={draft.earlier} onClear={() => onDraft({ ...draft, earlier: [] })} />
      )}
      <Field label={t('prompt')}>
        {(control) => (
          <Textarea
            {...control}
            rows={5}
            value={draft.prompt}
            onChange={(event) => onDraft({ ...draft, prompt: event.target.value })}
          />
        )}
      </Field>
      {!isTextAlone && (
        <>
          <ImageField image={draft.image} onChange={(image) => onDraft({ ...draft, image })} />
          <ToolsField tools={draft.tools} onChange={(tools) => onDraft({ ...draft, tools })} />
          <Field label={t('stream')} layout="row">
            {(control) => (
              <Switch
                {...control}
                checked={draft.isStream}
                onCheckedChange={(isStream) => onDraft({ ...draft, isStream })}
              />
            )}
          </Field>
        </>
      )}
    </>
  )
}

type EarlierProps = { readonly earlier: readonly Exchange[]; readonly onClear: () => void }

function Earlier({ earlier, onClear }: EarlierProps) {
  const { t } = useTranslation('try')
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center justify-between gap-2">
        <h3 className="text-sm font-medium">{t('earlier')}</h3>
        <Button size="small" look="quiet" onClick={onClear}>
          {t('startOver')}
        </Button>
      </div>
      <ol
        tabIndex={0}
        aria-label={t('earlier')}
        className="flex max-h-60 flex-col gap-2 overflow-y-auto rounded-md border border-line bg-sunken p-3 text-sm"
      >
        {earlier.map((turn, index) => (
          // Turns are only ever added at the end.
          <li key={index} className="flex flex-col gap-1">
            <p className="font-medium break-words whitespace-pre-wrap">{turn.prompt}</p>
            {turn.answers.map((answer, column) => (
              <p key={column} className="break-words whitespace-pre-wrap text-muted">
                {answer ?? '–'}
              </p>
            ))}
          </li>
        ))}
      </ol>
    </div>
  )
}
