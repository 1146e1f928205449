import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

/** What somebody should know before they go on. */
export function Caution({ children }: { readonly children: ReactNode }) {
  return (
    <p className="flex items-start gap-2 rounded-md bg-amber-soft px-3 py-2 text-sm text-amber">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      {children}
    </p>
  )
}
