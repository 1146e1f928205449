import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '#renderer/components/cn.ts'
import { HeadCell } from '#renderer/components/table.tsx'
import type { SortOrder } from '#renderer/data/usage-table.ts'

type SortHeadProps = {
  readonly id: string
  readonly order: SortOrder | undefined
  readonly onSort: (id: string) => void
  readonly align?: 'left' | 'right'
  readonly className?: string
  readonly children: ReactNode
}

/** The head of a column whose order is in the address. */
export function SortHead({ id, order, onSort, align = 'left', className, children }: SortHeadProps) {
  const own = order?.column === id ? order : undefined
  const Shape = own === undefined ? ChevronsUpDown : own.isDescending ? ArrowDown : ArrowUp
  return (
    <HeadCell
      align={align}
      {...(own === undefined ? {} : { 'aria-sort': own.isDescending ? 'descending' : 'ascending' })}
      className={cn('bg-surface', className)}
    >
      <button
        type="button"
        onClick={() => onSort(id)}
        className="inline-flex max-w-40 items-center gap-1 rounded hover:text-ink"
      >
        <span className="truncate">{children}</span>
        <Shape aria-hidden className={cn('size-3.5 shrink-0', own === undefined && 'opacity-50')} />
      </button>
    </HeadCell>
  )
}
