import { useTranslation } from 'react-i18next'
import { FilterPanel, setFilters } from '#renderer/components/filter-panel.tsx'
import { FilterSelect } from '#renderer/components/filters.tsx'
import { RowCount } from '#renderer/components/row-count.tsx'
import { countText } from '#renderer/data/numbers.ts'
import { PROVIDER_FILTERS } from '#renderer/data/provider-list.ts'
import type { ProvidersSearch, ProvidersSearchChange } from '#renderer/pages/providers/search.ts'

type ProviderFiltersProps = {
  readonly shown: number | undefined
  readonly filter: ProvidersSearch
  readonly onChange: (change: ProvidersSearchChange) => void
  readonly onClear: () => void
}

export function ProviderFilters({ shown, filter, onChange, onClear }: ProviderFiltersProps) {
  const { t, i18n } = useTranslation('providers')
  const { q = '', state } = filter
  const fields = [{ id: 'state', label: t('filter.label'), value: state && t(`filter.${state}`) }]
  return (
    <FilterPanel
      isInCard
      search={{ label: t('filter.search'), value: q, onChange: (text) => onChange({ q: text }) }}
      set={setFilters(fields, onChange)}
      onClear={onClear}
      end={
        <RowCount>
          {shown !== undefined && t('filter.count', { count: shown, text: countText(shown, i18n.language) })}
        </RowCount>
      }
    >
      <FilterSelect
        label={t('filter.label')}
        all={t('filter.all')}
        value={state}
        choices={PROVIDER_FILTERS.map((value) => ({ value, label: t(`filter.${value}`) }))}
        onChange={(value) => onChange({ state: value })}
      />
    </FilterPanel>
  )
}
