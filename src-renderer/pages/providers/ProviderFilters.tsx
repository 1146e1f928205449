import { useTranslation } from 'react-i18next'
import { FilterSelect } from '#renderer/components/filters.tsx'
import { ListFilters } from '#renderer/components/list-filters.tsx'
import { PROVIDER_FILTERS } from '#renderer/data/provider-list.ts'
import type { ProvidersSearch, ProvidersSearchChange } from '#renderer/pages/providers/search.ts'

type ProviderFiltersProps = {
  readonly shown: number | undefined
  readonly filter: ProvidersSearch
  readonly onChange: (change: ProvidersSearchChange) => void
  readonly onClear: () => void
}

export function ProviderFilters({ shown, filter, onChange, onClear }: ProviderFiltersProps) {
  const { t } = useTranslation('providers')
  const { q, state } = filter
  const fields = [{ id: 'state', label: t('filter.label'), value: state && t(`filter.${state}`) }]
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
        label={t('filter.label')}
        all={t('filter.all')}
        value={state}
        choices={PROVIDER_FILTERS.map((value) => ({ value, label: t(`filter.${value}`) }))}
        onChange={(value) => onChange({ state: value })}
      />
    </ListFilters>
  )
}
