import { Fragment, type ReactNode } from 'react'
import { cn } from '#renderer/components/cn.ts'

export type Fact = { readonly name: string; readonly value: ReactNode }

/** Names and values below each other, for the details of one thing. */
export function Facts({ facts, className }: { readonly facts: readonly Fact[]; readonly className?: string }) {
  return (
    <dl className={cn('grid grid-cols-[minmax(112px,auto)_1fr] gap-x-4 gap-y-1.5 text-sm', className)}>
      {facts.map(({ name, value }) => (
        <Fragment key={name}>
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 text-right break-words tabular-nums">{value}</dd>
        </Fragment>
      ))}
    </dl>
  )
}

type SectionProps = { readonly title: string; readonly actions?: ReactNode; readonly children: ReactNode }

/** A part of a drawer under a small heading. */
export function DrawerSection({ title, actions, children }: SectionProps) {
  return (
    <section className="flex flex-col gap-3 border-t border-line py-4 first:border-t-0 first:pt-0 last:pb-0">
      <div className="flex items-center justify-between gap-2">
        <h3 className="text-sm font-semibold">{title}</h3>
        {actions}
      </div>
      {children}
    </section>
  )
}
