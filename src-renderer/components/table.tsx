// The parts of a plain table. Lists that sort or grow take data-table.tsx.

import type { ComponentProps } from 'react'
import { cn } from '#renderer/components/cn.ts'

export function Table({ className, ...rest }: ComponentProps<'table'>) {
  return <table {...rest} className={cn('w-full border-collapse text-sm', className)} />
}

type CellProps = { readonly align?: 'left' | 'right' }

export function HeadCell({ align = 'left', className, ...rest }: Omit<ComponentProps<'th'>, 'align'> & CellProps) {
  return (
    <th
      scope="col"
      {...rest}
      className={cn(
        'h-row border-b border-line px-3 first:pl-4 last:pr-4 text-xs font-medium whitespace-nowrap text-muted',
        align === 'right' ? 'text-right' : 'text-left',
        className,
      )}
    />
  )
}

export function Row({ className, ...rest }: ComponentProps<'tr'>) {
  return <tr {...rest} className={cn('border-b border-line last:border-b-0', className)} />
}

export function Cell({ align = 'left', className, ...rest }: Omit<ComponentProps<'td'>, 'align'> & CellProps) {
  return (
    <td
      {...rest}
      className={cn(
        'h-row px-3 py-1 first:pl-4 last:pr-4',
        align === 'right' ? 'text-right tabular-nums' : 'text-left',
        className,
      )}
    />
  )
}
