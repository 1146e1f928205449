import { useTranslation } from 'react-i18next'
import type { KeyView } from '#contract/schemas.ts'
import { FilterSelect } from '#renderer/components/filters.tsx'
import { ListFilters } from '#renderer/components/list-filters.tsx'
import { choicesOf, STATE_FILTERS } from '#renderer/data/key-list.ts'
import type { KeysSearch, KeysSearchChange } from '#renderer/pages/keys/search.ts'

type KeyFiltersProps = {
  readonly role: 'administrator' | 'member'
  /** All keys, which the choices come from. */
  readonly keys: readonly KeyView[] | undefined
  readonly shown: number | undefined
  readonly filter: KeysSearch
  readonly onChange: (change: KeysSearchChange) => void
  readonly onClear: () => void
}

export function KeyFilters({ role, keys = [], shown, filter, onChange, onClear }: KeyFiltersProps) {
  const { t } = useTranslation('keys')
  const { q, state, package: packageName, owner } = filter
  const plain = (names: readonly string[]) => names.map((value) => ({ value, label: value }))
  const fields = [
    { id: 'state', label: t('column.state'), value: state && t(`filter.${state}`) },
    { id: 'package', label: t('column.package'), value: packageName },
    { id: 'owner', label: t('column.owner'), value: owner },
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
        all={t('filter.current')}
        value={state}
        choices={STATE_FILTERS.map((value) => ({ value, label: t(`filter.${value}`) }))}
        onChange={(value) => onChange({ state: value })}
      />
      <FilterSelect
        label={t('column.package')}
        all={t('filter.packages')}
        value={packageName}
        choices={plain(choicesOf(keys.map((key) => key.package)))}
        onChange={(value) => onChange({ package: value })}
      />
      {role === 'administrator' && (
        <FilterSelect
          label={t('column.owner')}
          all={t('filter.owners')}
          value={owner}
          choices={plain(choicesOf(keys.map((key) => key.owner)))}
          onChange={(value) => onChange({ owner: value })}
        />
      )}
    </ListFilters>
  )
}
