import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyCreated } from '#contract/schemas.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { CopyField } from '#renderer/components/copy.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Select } from '#renderer/components/input.tsx'
import { Snippets } from '#renderer/components/snippets.tsx'
import { modelOf } from '#renderer/data/choices.ts'
import { snippetsFor, type Shell } from '#renderer/data/snippets.ts'

type ToolsProps = { readonly made: KeyCreated | undefined; readonly shell: Shell; readonly isPinned: boolean }

/** Lines for one tool after the other, with the address that this page was opened at. */
export function Tools({ made, shell, isPinned }: ToolsProps) {
  const { t } = useTranslation('welcome')
  const [chosen, setChosen] = useState<string>()
  const models = useApi('listModels', {}).data ?? []
  const chat = models.filter(({ enabled, kind }) => enabled && kind !== 'embedding')
  const model = modelOf(models, 'chat', chosen)
  const url = location.origin
  if (model === undefined) return <p>{t('tools.noModel')}</p>
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('tools.model')}>
          {(control) => (
            <Select {...control} value={model} onChange={(event) => setChosen(event.target.value)}>
              {chat.map(({ id }) => (
                <option key={id} value={id}>
                  {id}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <div className="flex flex-col gap-1.5">
          <span className="text-sm font-medium">{t('tools.address')}</span>
          <CopyField label={t('tools.address')} text={url} />
        </div>
      </div>
      <Snippets hasKey={made !== undefined} snippets={snippetsFor({ url, model, key: made?.key, shell, isPinned })} />
    </div>
  )
}
