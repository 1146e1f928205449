import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { FilterPanel, setFilters, type Field } from '#renderer/components/filter-panel.tsx'
import { countText } from '#renderer/data/numbers.ts'

type ListFiltersProps = {
  readonly searchLabel: string
  /** What is searched for; undefined for nothing. */
  readonly q: string | undefined
  readonly fields: readonly Field[]
  /** How many rows are left; undefined before the list is known. */
  readonly shown: number | undefined
  /** Says how many rows are left. */
  readonly countOf: (rows: { readonly count: number; readonly text: string }) => string
  readonly onChange: (change: { readonly q: string } | Readonly<Record<string, undefined>>) => void
  readonly onClear: () => void
  /** The fields to set them with. */
  readonly children: ReactNode
}

/** The filters of a list that is searched by words and read whole: how many rows they leave is said to screen readers when it changes. */
export function ListFilters(props: ListFiltersProps) {
  const { searchLabel, q = '', fields, shown, countOf, onChange, onClear, children } = props
  const { i18n } = useTranslation()
  return (
    <FilterPanel
      isInCard
      search={{ label: searchLabel, value: q, onChange: (text) => onChange({ q: text }) }}
      set={setFilters(fields, onChange)}
      onClear={onClear}
      end={
        <span role="status" className="text-xs text-muted tabular-nums">
          {shown !== undefined && countOf({ count: shown, text: countText(shown, i18n.language) })}
        </span>
      }
    >
      {children}
    </FilterPanel>
  )
}
