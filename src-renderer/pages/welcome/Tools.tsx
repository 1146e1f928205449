import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyCreated } from '#contract/schemas.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { ModelAndAddress } from '#renderer/components/model-and-address.tsx'
import { Snippets } from '#renderer/components/snippets.tsx'
import { modelOf } from '#renderer/data/choices.ts'
import { snippetsFor, type Shell } from '#renderer/data/snippets.ts'

type ToolsProps = { readonly made: KeyCreated | undefined; readonly shell: Shell; readonly isPinned: boolean }

/** Lines for one tool after the other, with the address that this page was opened at. */
export function Tools({ made, shell, isPinned }: ToolsProps) {
  const { t } = useTranslation('welcome')
  const [chosen, setChosen] = useState<string>()
  const models = useApi('listModels', {}).data ?? []
  const model = modelOf(models, 'chat', chosen)
  const url = location.origin
  if (model === undefined) return <p>{t('tools.noModel')}</p>
  return (
    <div className="flex flex-col gap-4">
      <ModelAndAddress
        labels={{ model: t('tools.model'), address: t('tools.address') }}
        models={models}
        model={model}
        onModel={setChosen}
        url={url}
      />
      <Snippets hasKey={made !== undefined} snippets={snippetsFor({ url, model, key: made?.key, shell, isPinned })} />
    </div>
  )
}
