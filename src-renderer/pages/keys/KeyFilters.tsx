import { useTranslation } from 'react-i18next'
import type { KeyView } from '#contract/schemas.ts'
import { Button } from '#renderer/components/button.tsx'
import { FilterBar, FilterSelect, FilterText } from '#renderer/components/filters.tsx'
import { choicesOf, STATE_FILTERS } from '#renderer/data/key-list.ts'
import { countText } from '#renderer/data/numbers.ts'
import type { KeysSearch } from '#renderer/pages/keys/search.ts'

type KeyFiltersProps = {
  readonly role: 'administrator' | 'member'
  /** All keys, which the choices come from. */
  readonly keys: readonly KeyView[] | undefined
  readonly shown: number | undefined
  readonly filter: KeysSearch
  readonly onChange: (filter: KeysSearch) => void
}

export function KeyFilters({ role, keys = [], shown, filter, onChange }: KeyFiltersProps) {
  const { t, i18n } = useTranslation('keys')
  const { q, state, package: packageName, owner } = filter
  const plain = (names: readonly string[]) => names.map((value) => ({ value, label: value }))
  const set = <Name extends keyof KeysSearch>(name: Name, value: KeysSearch[Name] | undefined) => {
    const { [name]: _, ...rest } = filter
    onChange(value === undefined || value === '' ? rest : { ...rest, [name]: value })
  }
  const isFiltered = [q, state, packageName, owner].some((value) => value !== undefined)
  return (
    <FilterBar>
      <FilterText label={t('filter.search')} value={q ?? ''} onChange={(value) => set('q', value)} />
      <FilterSelect
        label={t('column.state')}
        all={t('filter.current')}
        value={state}
        choices={STATE_FILTERS.map((value) => ({ value, label: t(`filter.${value}`) }))}
        onChange={(value) => set('state', value)}
      />
      <FilterSelect
        label={t('column.package')}
        all={t('filter.packages')}
        value={packageName}
        choices={plain(choicesOf(keys.map((key) => key.package)))}
        onChange={(value) => set('package', value)}
      />
      {role === 'administrator' && (
        <FilterSelect
          label={t('column.owner')}
          all={t('filter.owners')}
          value={owner}
          choices={plain(choicesOf(keys.map((key) => key.owner)))}
          onChange={(value) => set('owner', value)}
        />
      )}
      {isFiltered && (
        <Button look="quiet" onClick={() => onChange({})}>
          {t('filter.clear')}
        </Button>
      )}
      <span role="status" className="ml-auto text-xs text-muted tabular-nums">
        {shown !== undefined && t('filter.count', { count: shown, text: countText(shown, i18n.language) })}
      </span>
    </FilterBar>
  )
}
