import type { ReactNode } from 'react'

/** How many rows the filters of a list leave, which screen readers say when it changes. */
export function RowCount({ children }: { readonly children: ReactNode }) {
  return (
    <span role="status" className="text-xs text-muted tabular-nums">
      {children}
    </span>
  )
}
