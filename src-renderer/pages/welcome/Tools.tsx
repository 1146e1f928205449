import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyCreated } from '#contract/schemas.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { ModelAndAddress } from '#renderer/components/model-and-address.tsx'
import { Snippets } from '#renderer/components/snippets.tsx'
import { modelOf } from '#renderer/data/choices.ts'
import { guidedSnippets, snippetsFor } from '#renderer/data/snippets.ts'
import { shellFor, type System } from '#renderer/data/trust.ts'

type ToolsProps = {
  readonly made: KeyCreated | undefined
  readonly system: System
  readonly isPinned: boolean
}

/** Lines for one tool after the other, with the address that this page was opened at. */
export function Tools({ made, system, isPinned }: ToolsProps) {
  const { t } = useTranslation('welcome')
  const [chosen, setChosen] = useState<string>()
  const models = useApi('listModels', {}).data ?? []
  const model = modelOf(models, 'chat', chosen)
  const url = location.origin
  const query = { system, ...(model !== undefined && { model }) }
  const guides = useApi('toolGuides', { query }, { isEnabled: model !== undefined, keepsPrevious: true }).data ?? []
  if (model === undefined) return <p>{t('tools.noModel')}</p>
  const place = { url, model, key: made?.key, shell: shellFor(system), isPinned }
  const snippets = snippetsFor(place)
  const others = guides.filter(({ tool }) => !snippets.some(({ id }) => id === tool))
  return (
    <div className="flex flex-col gap-4">
      <ModelAndAddress
        labels={{ model: t('tools.model'), address: t('tools.address') }}
        models={models}
        model={model}
        onModel={setChosen}
        url={url}
      />
      <Snippets hasKey={made !== undefined} snippets={[...snippets, ...guidedSnippets(others, place)]} />
    </div>
  )
}
