import { ListFilter } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { cn } from '#renderer/components/cn.ts'

type FilterPanelProps = {
  /** How many filters are set. */
  readonly count: number
  readonly onClear: () => void
  readonly children: ReactNode
}

/** The filters of a list side by side; in a narrow window behind a button that counts them. */
export function FilterPanel({ count, onClear, children }: FilterPanelProps) {
  const { t } = useTranslation('common')
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  return (
    <div role="group" aria-label={t('filters.label')} className="flex flex-col gap-2">
      <div className="flex items-center gap-2 sm:hidden">
        <Button size="small" aria-expanded={isOpen} aria-controls={id} onClick={() => setIsOpen(!isOpen)}>
          <ListFilter aria-hidden />
          {count === 0 ? t('filters.label') : t('filters.count', { count })}
        </Button>
        {count > 0 && <Clear onClear={onClear} />}
      </div>
      <div
        id={id}
        className={cn(
          'grid grid-cols-2 items-end gap-2 sm:grid-cols-3 md:grid-cols-4 lg:grid-cols-5',
          !isOpen && 'max-sm:hidden',
        )}
      >
        {children}
        {count > 0 && (
          <div className="max-sm:hidden">
            <Clear onClear={onClear} />
          </div>
        )}
      </div>
    </div>
  )
}

function Clear({ onClear }: { readonly onClear: () => void }) {
  const { t } = useTranslation('common')
  return (
    <Button look="quiet" size="small" onClick={onClear}>
      {t('filters.clear')}
    </Button>
  )
}
