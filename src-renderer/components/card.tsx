import type { ComponentProps, ReactNode } from 'react'
import { cn } from '#renderer/components/cn.ts'

type CardProps = Omit<ComponentProps<'section'>, 'title'> & {
  readonly title?: string
  /** Beside the title: buttons, a switch of the metric. */
  readonly actions?: ReactNode
  /** Without the inner margin, for a table that fills the card. */
  readonly isFlush?: boolean
}

/** The one style of card. Never a card inside a card. */
export function Card({ title, actions, isFlush = false, className, children, ...rest }: CardProps) {
  return (
    <section aria-label={title} {...rest} className={cn('min-w-0 rounded-lg border border-line bg-surface', className)}>
      {(title !== undefined || actions !== undefined) && (
        <div className="flex flex-wrap items-center justify-between gap-2 px-4 pt-3">
          <h2 className="text-sm font-semibold">{title}</h2>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      )}
      <div className={isFlush ? 'pt-2' : 'p-4'}>{children}</div>
    </section>
  )
}
