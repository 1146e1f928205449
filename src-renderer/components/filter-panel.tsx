import { ListFilter, X } from 'lucide-react'
import { useId, useRef, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { cn } from '#renderer/components/cn.ts'
import { FilterText, type FilterTextProps } from '#renderer/components/filters.tsx'

/** A filter that is set, in words. */
export type SetFilter = {
  readonly id: string
  readonly label: string
  readonly value: string
  readonly onRemove: () => void
}

/** What can be set, in words; `value` is undefined where it is not. */
export type Field = { readonly id: string; readonly label: string; readonly value: string | undefined }

/** Those of the fields that are set, in their order; each is undefined once it is taken out. */
export function setFilters(
  fields: readonly Field[],
  onChange: (change: Readonly<Record<string, undefined>>) => void,
): SetFilter[] {
  return fields.flatMap(({ id, label, value }) =>
    value === undefined ? [] : [{ id, label, value, onRemove: () => onChange({ [id]: undefined }) }],
  )
}

type FilterPanelProps = {
  readonly set: readonly SetFilter[]
  readonly onClear: () => void
  /** A field to search by, which stands in the bar itself. */
  readonly search?: FilterTextProps
  /** At the end of the bar, such as how many rows are left. */
  readonly end?: ReactNode
  /** Above the rows of a card: with its margins, and with few fields. */
  readonly isInCard?: boolean
  /** The fields to set them with. */
  readonly children: ReactNode
}

/** The filters of a list in one bar: what is set, each to be taken out by itself, and behind a button the fields to set them with. */
export function FilterPanel({ set, onClear, search, end, isInCard = false, children }: FilterPanelProps) {
  const { t } = useTranslation('common')
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const toggle = useRef<HTMLButtonElement>(null)
  // What is pressed goes away with its filter, and the focus must not go with it.
  const takeOut = (remove: () => void) => () => {
    remove()
    toggle.current?.focus()
  }
  const isNarrowed = set.length > 0 || (search !== undefined && search.value !== '')
  const size = search === undefined ? 'small' : 'normal'
  return (
    <div role="group" aria-label={t('filters.label')} className={cn('flex flex-col gap-2', isInCard && 'px-4 py-2')}>
      <div className="flex flex-wrap items-center gap-2">
        {search !== undefined && <FilterText {...search} />}
        <Button ref={toggle} size={size} aria-expanded={isOpen} aria-controls={id} onClick={() => setIsOpen(!isOpen)}>
          <ListFilter aria-hidden />
          {set.length === 0 ? t('filters.label') : t('filters.count', { count: set.length })}
        </Button>
        {set.map((filter) => (
          <Chip key={filter.id} filter={filter} onRemove={takeOut(filter.onRemove)} />
        ))}
        {isNarrowed && (
          <Button look="quiet" size={size} onClick={takeOut(onClear)}>
            {t('filters.clear')}
          </Button>
        )}
        {end !== undefined && <span className="ml-auto">{end}</span>}
      </div>
      <div
        id={id}
        className={cn(
          'grid items-end gap-2',
          isInCard ? 'sm:grid-cols-2 lg:grid-cols-4' : 'grid-cols-2 sm:grid-cols-3 md:grid-cols-4 lg:grid-cols-5',
          !isOpen && 'hidden',
        )}
      >
        {children}
      </div>
    </div>
  )
}

type ChipProps = { readonly filter: SetFilter; readonly onRemove: () => void }

function Chip({ filter: { label, value }, onRemove }: ChipProps) {
  const { t } = useTranslation('common')
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1 rounded-full bg-sunken py-0.5 pr-1 pl-3 text-sm">
      <span className="truncate" title={`${label}: ${value}`}>
        <span className="text-muted">{label}:</span> {value}
      </span>
      <button
        type="button"
        aria-label={t('filters.remove', { filter: `${label}: ${value}` })}
        onClick={onRemove}
        className="shrink-0 rounded-full p-1 text-muted hover:bg-line hover:text-ink"
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </span>
  )
}
