import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { FilterBar, FilterSelect, FilterText } from '#renderer/components/filters.tsx'
import { countText } from '#renderer/data/numbers.ts'
import { PROVIDER_FILTERS } from '#renderer/data/provider-list.ts'
import type { ProvidersSearch } from '#renderer/pages/providers/search.ts'

type ProviderFiltersProps = {
  readonly shown: number | undefined
  readonly filter: ProvidersSearch
  readonly onChange: (filter: ProvidersSearch) => void
}

export function ProviderFilters({ shown, filter, onChange }: ProviderFiltersProps) {
  const { t, i18n } = useTranslation('providers')
  const { q, state } = filter
  const set = <Name extends keyof ProvidersSearch>(name: Name, value: ProvidersSearch[Name] | undefined) => {
    const { [name]: _, ...rest } = filter
    onChange(value === undefined || value === '' ? rest : { ...rest, [name]: value })
  }
  return (
    <FilterBar>
      <FilterText label={t('filter.search')} value={q ?? ''} onChange={(value) => set('q', value)} />
      <FilterSelect
        label={t('filter.label')}
        all={t('filter.all')}
        value={state}
        choices={PROVIDER_FILTERS.map((value) => ({ value, label: t(`filter.${value}`) }))}
        onChange={(value) => set('state', value)}
      />
      {(q !== undefined || state !== undefined) && (
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
