import { useTranslation } from 'react-i18next'
import type { FilterChoices } from '#renderer/api/use-filter-choices.ts'
import { FilterPanel, setFilters } from '#renderer/components/filter-panel.tsx'
import { FilterSelect, FilterWord } from '#renderer/components/filters.tsx'
import { FILTERS, WORD_FILTERS, type FilterName, type UsageSearchChange } from '#renderer/pages/usage/search.ts'

type UsageFiltersProps = {
  readonly values: { readonly [Name in FilterName]?: string }
  readonly choices: FilterChoices
  readonly onChange: (change: UsageSearchChange) => void
  readonly onClear: () => void
}

export function UsageFilters({ values, choices, onChange, onClear }: UsageFiltersProps) {
  const { t } = useTranslation('usage')
  const shown = FILTERS.filter((name) => choices.offered.includes(name) || values[name] !== undefined)
  const fields = [...FILTERS, ...WORD_FILTERS].map((id) => ({ id, label: t(`groups.${id}`), value: values[id] }))
  return (
    <FilterPanel set={setFilters(fields, onChange)} onClear={onClear}>
      {shown.map((name) => (
        <FilterSelect
          key={name}
          label={t(`groups.${name}`)}
          all={t(`all.${name}`)}
          value={values[name]}
          choices={choices[name].map((value) => ({ value, label: value }))}
          onChange={(value) => onChange({ [name]: value })}
        />
      ))}
      {WORD_FILTERS.map((name) => (
        <FilterWord
          key={name}
          label={t(`groups.${name}`)}
          value={values[name]}
          onChange={(value) => onChange({ [name]: value })}
        />
      ))}
    </FilterPanel>
  )
}
