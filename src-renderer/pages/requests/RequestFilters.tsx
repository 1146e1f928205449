import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FilterChoices } from '#renderer/api/use-filter-choices.ts'
import { FilterPanel, setFilters, type SetFilter } from '#renderer/components/filter-panel.tsx'
import { FilterProblem, FilterSelect, FilterWord } from '#renderer/components/filters.tsx'
import { Input } from '#renderer/components/input.tsx'
import { TimeFilter, useSetTimes } from '#renderer/components/time-filter.tsx'
import { CALL_STATES, type RequestFilter } from '#renderer/data/request-filter.ts'
import type { RequestsSearchChange } from '#renderer/pages/requests/search.ts'

const NAMES = ['model', 'key', 'provider', 'package', 'owner', 'member'] as const
const WORDS = ['tool', 'project', 'tag', 'session'] as const

type FilterProps = {
  readonly filter: RequestFilter
  readonly onChange: (change: RequestsSearchChange) => void
}

type RequestFiltersProps = FilterProps & { readonly choices: FilterChoices; readonly onClear: () => void }

export function RequestFilters({ filter, choices, onChange, onClear }: RequestFiltersProps) {
  const { t } = useTranslation('requests')
  const shown = NAMES.filter((name) => choices.offered.includes(name) || filter[name] !== undefined)
  return (
    <FilterPanel set={useSetFilters({ filter, onChange })} onClear={onClear}>
      {shown.map((name) => (
        <FilterSelect
          key={name}
          label={t(`filters.${name}`)}
          all={t(`all.${name}`)}
          value={filter[name]}
          choices={choices[name].map((value) => ({ value, label: value }))}
          onChange={(value) => onChange({ [name]: value })}
        />
      ))}
      {WORDS.map((name) => (
        <FilterWord
          key={name}
          label={t(`filters.${name}`)}
          value={filter[name]}
          onChange={(value) => onChange({ [name]: value })}
        />
      ))}
      <StatusFilter filter={filter} onChange={onChange} />
      <CostFilter filter={filter} onChange={onChange} />
      <TimeFilter range={filter} onChange={onChange} />
    </FilterPanel>
  )
}

/** What is set, in the order of the fields. */
function useSetFilters({ filter, onChange }: FilterProps): SetFilter[] {
  const { t } = useTranslation('requests')
  const times = useSetTimes({ range: filter, onChange })
  const fields = ([...NAMES, ...WORDS, 'status', 'min'] as const).map((id) => ({
    id,
    label: t(`filters.${id}`),
    value: id === 'status' ? filter.status && t(`statuses.${filter.status}`) : filter[id],
  }))
  return [...setFilters(fields, onChange), ...times]
}

function StatusFilter({ filter, onChange }: FilterProps) {
  const { t } = useTranslation('requests')
  return (
    <FilterSelect
      label={t('filters.status')}
      all={t('all.status')}
      value={filter.status}
      choices={CALL_STATES.map((value) => ({ value, label: t(`statuses.${value}`) }))}
      onChange={(status) => onChange({ status })}
    />
  )
}

const AMOUNT = /^[0-9]{1,9}(\.[0-9]{1,6})?$/

/** Takes effect when the field is left or Enter is pressed: half a number is no filter. */
function CostFilter({ filter, onChange }: FilterProps) {
  const { t } = useTranslation('requests')
  const id = useId()
  const [typed, setTyped] = useState<string>()
  const text = (typed ?? filter.min ?? '').replace(',', '.')
  const isWrong = text !== '' && !AMOUNT.test(text)
  const apply = () => {
    if (isWrong || typed === undefined) return
    onChange({ min: text === '' ? undefined : text })
    setTyped(undefined)
  }
  return (
    <span className="relative">
      <Input
        inputMode="decimal"
        aria-label={t('filters.min')}
        placeholder={t('filters.min')}
        value={typed ?? filter.min ?? ''}
        {...(isWrong ? { 'aria-invalid': true, 'aria-describedby': id } : {})}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={apply}
        onKeyDown={(event) => event.key === 'Enter' && apply()}
      />
      {isWrong && <FilterProblem id={id}>{t('minWrong')}</FilterProblem>}
    </span>
  )
}
