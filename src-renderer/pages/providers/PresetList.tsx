import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Preset } from '#contract/presets.ts'
import { Badge } from '#renderer/components/badge.tsx'
import { Input } from '#renderer/components/input.tsx'
import { dialectsOf, filteredPresets } from '#renderer/data/provider-form.ts'

type PresetListProps = { readonly presets: readonly Preset[]; readonly onChoose: (preset: Preset) => void }

export function PresetList({ presets, onChoose }: PresetListProps) {
  const { t } = useTranslation('providers')
  const [text, setText] = useState('')
  const shown = filteredPresets(presets, text)
  return (
    <div className="flex flex-col gap-3">
      <Input
        type="search"
        aria-label={t('add.search')}
        placeholder={t('add.search')}
        maxLength={100}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {shown.length === 0 && <p className="py-4 text-center text-sm text-muted">{t('add.noneMatch')}</p>}
      <ul className="grid grid-cols-2 gap-2 max-sm:grid-cols-1">
        {shown.map((preset) => (
          <li key={preset.id}>
            <button
              type="button"
              onClick={() => onChoose(preset)}
              className="flex h-full w-full items-center justify-between gap-2 rounded-md border border-line bg-surface px-3 py-2 text-left hover:border-line-strong hover:bg-sunken"
            >
              <span className="min-w-0">
                <span className="block text-sm font-medium">{preset.display_name}</span>
                <span className="block truncate text-xs text-muted">{dialectsOf(preset).join(', ')}</span>
              </span>
              {preset.network === 'local' && <Badge>{t('network.localShort')}</Badge>}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
