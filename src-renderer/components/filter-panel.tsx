import { ListFilter, X } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { cn } from '#renderer/components/cn.ts'

/** A filter that is set, in words. */
export type SetFilter = {
  readonly id: string
  readonly label: string
  readonly value: string
  readonly onRemove: () => void
}

type FilterPanelProps = {
  readonly set: readonly SetFilter[]
  readonly onClear: () => void
  /** The fields to set them with. */
  readonly children: ReactNode
}

/** The filters of a list in one bar: what is set, each to be taken out by itself, and behind a button the fields to set them with. */
export function FilterPanel({ set, onClear, children }: FilterPanelProps) {
  const { t } = useTranslation('common')
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  return (
    <div role="group" aria-label={t('filters.label')} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button size="small" aria-expanded={isOpen} aria-controls={id} onClick={() => setIsOpen(!isOpen)}>
          <ListFilter aria-hidden />
          {set.length === 0 ? t('filters.label') : t('filters.count', { count: set.length })}
        </Button>
        {set.map((filter) => (
          <Chip key={filter.id} filter={filter} />
        ))}
        {set.length > 0 && (
          <Button look="quiet" size="small" onClick={onClear}>
            {t('filters.clear')}
          </Button>
        )}
      </div>
      <div
        id={id}
        className={cn(
          'grid grid-cols-2 items-end gap-2 sm:grid-cols-3 md:grid-cols-4 lg:grid-cols-5',
          !isOpen && 'hidden',
        )}
      >
        {children}
      </div>
    </div>
  )
}

function Chip({ filter: { label, value, onRemove } }: { readonly filter: SetFilter }) {
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
