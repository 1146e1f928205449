import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CodeSnippet } from '#renderer/components/copy.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Select } from '#renderer/components/input.tsx'
import { KEY_PLACE, type Snippet } from '#renderer/data/snippets.ts'

type SnippetsProps = {
  /** From `snippetsFor`. */
  readonly snippets: readonly Snippet[]
  /** Says that the key's own value has to be put in, where the snippets do not have it. */
  readonly hasKey: boolean
}

/** Ready-to-paste lines for one tool, which is chosen here. */
export function Snippets({ snippets, hasKey }: SnippetsProps) {
  const { t } = useTranslation('common')
  const [id, setId] = useState(snippets[0]?.id)
  const snippet = snippets.find((one) => one.id === id) ?? snippets[0]
  if (snippet === undefined) return null
  return (
    <div className="flex flex-col gap-3">
      <Field label={t('snippets.tool')} {...(hasKey ? {} : { hint: t('snippets.place', { place: KEY_PLACE }) })}>
        {(control) => (
          <Select
            {...control}
            value={snippet.id}
            onChange={(event) => setId(snippets.find((one) => one.id === event.target.value)?.id)}
          >
            {snippets.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {snippet.blocks.map((block, index) => (
        <CodeSnippet key={`${snippet.id} ${index}`} label={block.file ?? t('snippets.terminal')} code={block.code} />
      ))}
    </div>
  )
}
