import { MODEL_KINDS } from '#contract/dialects.ts'
import { useTranslation } from 'react-i18next'
import type { ModelView } from '#contract/schemas.ts'
import { FilterSelect } from '#renderer/components/filters.tsx'
import { ListFilters } from '#renderer/components/list-filters.tsx'
import { MODEL_STATES, providersOf } from '#renderer/data/model-list.ts'
import type { ModelsSearch, ModelsSearchChange } from '#renderer/pages/models/search.ts'

type ModelFiltersProps = {
  /** All models, which the choices come from. */
  readonly models: readonly ModelView[] | undefined
  readonly shown: number | undefined
  readonly filter: ModelsSearch
  readonly onChange: (change: ModelsSearchChange) => void
  readonly onClear: () => void
}

export function ModelFilters({ models = [], shown, filter, onChange, onClear }: ModelFiltersProps) {
  const { t } = useTranslation('models')
  const { q, state, kind, provider } = filter
  const fields = [
    { id: 'state', label: t('column.state'), value: state && t(`state.${state}`) },
    { id: 'kind', label: t('column.kind'), value: kind && t(`kind.${kind}`) },
    { id: 'provider', label: t('provider'), value: provider },
  ]
  return (
    <ListFilters
      searchLabel={t('filter.search')}
      q={q}
      fields={fields}
      shown={shown}
      countOf={(rows) => t('filter.count', rows)}
      onChange={onChange}
      onClear={onClear}
    >
      <FilterSelect
        label={t('column.state')}
        all={t('filter.states')}
        value={state}
        choices={MODEL_STATES.map((value) => ({ value, label: t(`state.${value}`) }))}
        onChange={(value) => onChange({ state: value })}
      />
      <FilterSelect
        label={t('column.kind')}
        all={t('filter.kinds')}
        value={kind}
        choices={MODEL_KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
        onChange={(value) => onChange({ kind: value })}
      />
      <FilterSelect
        label={t('provider')}
        all={t('filter.providers')}
        value={provider}
        choices={providersOf(models).map((value) => ({ value, label: value }))}
        onChange={(value) => onChange({ provider: value })}
      />
    </ListFilters>
  )
}
