import { useTranslation } from 'react-i18next'
import { Field } from '#renderer/components/field.tsx'
import { Textarea } from '#renderer/components/input.tsx'
import { prettyInput, type ToolCall } from '#renderer/data/try-tools.ts'

/** Where results are typed, by the places of the calls; undefined while they cannot be given. */
export type Results = { readonly texts: readonly string[]; readonly onChange: (index: number, text: string) => void }

type ToolCallsProps = { readonly calls: readonly ToolCall[]; readonly results: Results | undefined }

/** What the model calls, and what it is given for it. */
export function ToolCalls({ calls, results }: ToolCallsProps) {
  const { t } = useTranslation('try')
  return (
    <ul aria-label={t('tools.calls')} className="flex flex-col gap-3">
      {calls.map(({ name, input }, index) => (
        // Calls are only ever added at the end.
        <li key={index} className="flex flex-col gap-2 rounded-md border border-line p-3">
          <p className="font-medium break-words">{t('tools.called', { name })}</p>
          <pre
            tabIndex={0}
            aria-label={t('tools.input', { name })}
            className="max-h-48 overflow-auto rounded-md bg-sunken p-2 font-mono text-xs break-all whitespace-pre-wrap"
          >
            {prettyInput(input)}
          </pre>
          {results !== undefined && (
            <Field label={t('tools.result', { name })}>
              {(control) => (
                <Textarea
                  {...control}
                  rows={3}
                  value={results.texts[index] ?? ''}
                  onChange={(event) => results.onChange(index, event.target.value)}
                />
              )}
            </Field>
          )}
        </li>
      ))}
    </ul>
  )
}
