import { TrendingDown, TrendingUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '#renderer/components/cn.ts'

type StatTileProps = {
  readonly label: string
  readonly value: ReactNode
  /** How it changed since the period before; the word says what the arrow shows. */
  readonly delta?: { readonly direction: 'up' | 'down'; readonly text: ReactNode; readonly label: string }
  readonly children?: ReactNode
  readonly className?: string
}

/** One number that answers one question. Put several into a `TileRow`. */
export function StatTile({ label, value, delta, children, className }: StatTileProps) {
  const Arrow = delta?.direction === 'up' ? TrendingUp : TrendingDown
  return (
    <div className={cn('flex min-w-0 flex-col gap-1 bg-surface p-4', className)}>
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="flex flex-col gap-1">
        <span className="flex flex-wrap items-baseline gap-x-2">
          <span className="text-xl font-semibold tabular-nums">{value}</span>
          {delta !== undefined && (
            <span className="inline-flex items-center gap-1 text-xs text-muted tabular-nums">
              <Arrow aria-hidden className="size-3.5" />
              <span className="sr-only">{delta.label}</span>
              {delta.text}
            </span>
          )}
        </span>
        {children !== undefined && <span className="text-xs text-muted">{children}</span>}
      </dd>
    </div>
  )
}

/** Tiles side by side with hairlines between them. */
export function TileRow({ children, className }: { readonly children: ReactNode; readonly className?: string }) {
  return (
    <dl
      className={cn(
        'grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line lg:grid-cols-4',
        className,
      )}
    >
      {children}
    </dl>
  )
}
