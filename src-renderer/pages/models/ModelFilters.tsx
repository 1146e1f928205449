import { MODEL_KINDS } from '#contract/dialects.ts'
import { useTranslation } from 'react-i18next'
import type { ModelView } from '#contract/schemas.ts'
import { Button } from '#renderer/components/button.tsx'
import { FilterBar, FilterSelect, FilterText } from '#renderer/components/filters.tsx'
import { MODEL_STATES, providersOf } from '#renderer/data/model-list.ts'
import { countText } from '#renderer/data/numbers.ts'
import type { ModelsSearch } from '#renderer/pages/models/search.ts'

type ModelFiltersProps = {
  /** All models, which the choices come from. */
  readonly models: readonly ModelView[] | undefined
  readonly shown: number | undefined
  readonly filter: ModelsSearch
  readonly onChange: (filter: ModelsSearch) => void
}

export function ModelFilters({ models = [], shown, filter, onChange }: ModelFiltersProps) {
  const { t, i18n } = useTranslation('models')
  const { q, state, kind, provider } = filter
  const set = <Name extends keyof ModelsSearch>(name: Name, value: ModelsSearch[Name] | undefined) => {
    const { [name]: _, ...rest } = filter
    onChange(value === undefined || value === '' ? rest : { ...rest, [name]: value })
  }
  const isFiltered = [q, state, kind, provider].some((value) => value !== undefined)
  return (
    <FilterBar>
      <FilterText label={t('filter.search')} value={q ?? ''} onChange={(value) => set('q', value)} />
      <FilterSelect
        label={t('column.state')}
        all={t('filter.states')}
        value={state}
        choices={MODEL_STATES.map((value) => ({ value, label: t(`state.${value}`) }))}
        onChange={(value) => set('state', value)}
      />
      <FilterSelect
        label={t('column.kind')}
        all={t('filter.kinds')}
        value={kind}
        choices={MODEL_KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
        onChange={(value) => set('kind', value)}
      />
      <FilterSelect
        label={t('provider')}
        all={t('filter.providers')}
        value={provider}
        choices={providersOf(models).map((value) => ({ value, label: value }))}
        onChange={(value) => set('provider', value)}
      />
      {isFiltered && (
        <Button look="quiet" onClick={() => onChange(filter.open === undefined ? {} : { open: filter.open })}>
          {t('filter.clear')}
        </Button>
      )}
      <span role="status" className="ml-auto text-xs text-muted tabular-nums">
        {shown !== undefined && t('filter.count', { count: shown, text: countText(shown, i18n.language) })}
      </span>
    </FilterBar>
  )
}
