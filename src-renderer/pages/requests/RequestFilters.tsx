import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FilterChoices } from '#renderer/api/use-filter-choices.ts'
import { FilterPanel } from '#renderer/components/filter-panel.tsx'
import { FilterProblem, FilterSelect, FilterWord } from '#renderer/components/filters.tsx'
import { Input } from '#renderer/components/input.tsx'
import { CALL_STATES, countOf, type RequestFilter } from '#renderer/data/request-filter.ts'
import { localTimeOf, instantOfLocal } from '#renderer/data/times.ts'
import type { RequestsSearchChange } from '#renderer/pages/requests/search.ts'

const NAMES = ['model', 'key', 'provider', 'package', 'owner', 'member'] as const
const WORDS = ['tool', 'project', 'tag', 'session'] as const
const FULL = 'w-full'
const SPANS = ['1h', '24h', '7d', '30d'] as const

type FilterProps = {
  readonly filter: RequestFilter
  readonly onChange: (change: RequestsSearchChange) => void
}

type RequestFiltersProps = FilterProps & { readonly choices: FilterChoices; readonly onClear: () => void }

export function RequestFilters({ filter, choices, onChange, onClear }: RequestFiltersProps) {
  const { t } = useTranslation('requests')
  const shown = NAMES.filter((name) => choices.offered.includes(name) || filter[name] !== undefined)
  return (
    <FilterPanel count={countOf(filter)} onClear={onClear}>
      {shown.map((name) => (
        <FilterSelect
          key={name}
          label={t(`filters.${name}`)}
          all={t(`all.${name}`)}
          value={filter[name]}
          choices={choices[name].map((value) => ({ value, label: value }))}
          className={FULL}
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
      <TimeFilter filter={filter} onChange={onChange} />
    </FilterPanel>
  )
}

function StatusFilter({ filter, onChange }: FilterProps) {
  const { t } = useTranslation('requests')
  return (
    <FilterSelect
      label={t('filters.status')}
      all={t('all.status')}
      value={filter.status}
      choices={CALL_STATES.map((value) => ({ value, label: t(`statuses.${value}`) }))}
      className={FULL}
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

function TimeFilter({ filter, onChange }: FilterProps) {
  const { t } = useTranslation('requests')
  const span = SPANS.find((one) => one === filter.since)
  const isOwn = filter.until !== undefined || (filter.since !== undefined && span === undefined)
  const choose = (value: 'own' | (typeof SPANS)[number] | undefined) => {
    if (value === 'own') onChange({ since: instantOfLocal(localTimeOf(Date.now() - 86_400_000)), until: undefined })
    else onChange({ since: value, until: undefined })
  }
  return (
    <>
      <FilterSelect
        label={t('filters.time')}
        all={t('all.time')}
        value={isOwn ? 'own' : span}
        choices={[...SPANS, 'own' as const].map((value) => ({ value, label: t(`spans.${value}`) }))}
        className={FULL}
        onChange={choose}
      />
      {isOwn && <InstantFilter name="since" filter={filter} onChange={onChange} />}
      {isOwn && <InstantFilter name="until" filter={filter} onChange={onChange} />}
    </>
  )
}

/** A point in time in the zone of the reader, in whole minutes. */
function InstantFilter({ name, filter, onChange }: FilterProps & { readonly name: 'since' | 'until' }) {
  const { t } = useTranslation('requests')
  const atMs = Date.parse(filter[name] ?? '')
  return (
    <label className="flex min-w-0 items-center gap-2 text-xs text-muted">
      {t(`filters.${name}`)}
      <Input
        type="datetime-local"
        value={Number.isNaN(atMs) ? '' : localTimeOf(atMs)}
        onChange={(event) => onChange({ [name]: instantOfLocal(event.target.value) })}
      />
    </label>
  )
}
