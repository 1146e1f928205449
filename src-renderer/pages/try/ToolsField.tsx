import { Wrench } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Textarea } from '#renderer/components/input.tsx'
import { EXAMPLE_TOOL, readTools } from '#renderer/data/try-tools.ts'

type ToolsFieldProps = { readonly tools: string; readonly onChange: (tools: string) => void }

/** The functions that the model may call, as JSON. Somebody is the tool: what it calls is shown, and its result is typed. */
export function ToolsField({ tools, onChange }: ToolsFieldProps) {
  const { t } = useTranslation('try')
  if (tools === '') {
    return (
      <Button size="small" className="self-start" onClick={() => onChange(JSON.stringify(EXAMPLE_TOOL, undefined, 2))}>
        <Wrench aria-hidden />
        {t('tools.add')}
      </Button>
    )
  }
  return (
    <div className="flex flex-col gap-2">
      <Field
        label={t('tools.label')}
        hint={t('tools.hint')}
        error={readTools(tools) === undefined ? t('tools.wrong') : undefined}
      >
        {(control) => (
          <Textarea
            {...control}
            rows={8}
            spellCheck={false}
            value={tools}
            onChange={(event) => onChange(event.target.value)}
            className="font-mono text-xs"
          />
        )}
      </Field>
      <Button size="small" look="quiet" className="self-start" onClick={() => onChange('')}>
        {t('tools.remove')}
      </Button>
    </div>
  )
}
