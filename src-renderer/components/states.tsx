// What a place shows when it has no data to show: loading, nothing there, something wrong, data that is old.

import { CircleAlert, History } from 'lucide-react'
import type { ComponentType, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { cn } from '#renderer/components/cn.ts'
import { Time } from '#renderer/components/time.tsx'

/** A grey place where something will be; give it the size of what comes. */
export function Skeleton({ className }: { readonly className?: string }) {
  return <div aria-hidden className={cn('h-4 animate-pulse rounded bg-line', className)} />
}

/** Several grey lines that a screen reader announces as loading. */
export function Loading({ lines = 3, className }: { readonly lines?: number; readonly className?: string }) {
  const { t } = useTranslation('common')
  return (
    <div role="status" className={cn('flex flex-col gap-3', className)}>
      <span className="sr-only">{t('loading')}</span>
      {Array.from({ length: lines }, (_, index) => (
        <Skeleton key={index} className={index % 3 === 2 ? 'w-2/3' : 'w-full'} />
      ))}
    </div>
  )
}

type EmptyStateProps = {
  readonly icon?: ComponentType<{ readonly className?: string }>
  readonly title: string
  /** What to do next. */
  readonly children?: ReactNode
  readonly action?: ReactNode
  readonly className?: string
}

export function EmptyState({ icon: Icon, title, children, action, className }: EmptyStateProps) {
  return (
    <div className={cn('mx-auto flex max-w-md flex-col items-center gap-2 px-4 py-10 text-center', className)}>
      {Icon !== undefined && (
        <span aria-hidden className="mb-1 rounded-full bg-sunken p-3 text-muted">
          <Icon className="size-5" />
        </span>
      )}
      <p className="text-base font-semibold">{title}</p>
      {children !== undefined && <div className="text-sm text-muted">{children}</div>}
      {action !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}

type ErrorStateProps = {
  /** What happened: `The keys could not be read.` */
  readonly title: string
  /** Why, and what to do next. */
  readonly children?: ReactNode
  readonly onRetry?: () => void
  readonly className?: string
}

export function ErrorState({ title, children, onRetry, className }: ErrorStateProps) {
  const { t } = useTranslation('common')
  return (
    <div
      role="alert"
      className={cn('mx-auto flex max-w-md flex-col items-center gap-2 px-4 py-10 text-center', className)}
    >
      <span aria-hidden className="mb-1 rounded-full bg-red-soft p-3 text-red">
        <CircleAlert className="size-5" />
      </span>
      <p className="text-base font-semibold">{title}</p>
      {children !== undefined && <div className="text-sm break-words text-muted">{children}</div>}
      {onRetry !== undefined && (
        <Button className="mt-2" onClick={onRetry}>
          {t('retry')}
        </Button>
      )}
    </div>
  )
}

/** Beside numbers that could not be refreshed: how old they are. */
export function StaleMark({ atMs, className }: { readonly atMs: number; readonly className?: string }) {
  const { t } = useTranslation('common')
  return (
    <span className={cn('inline-flex items-center gap-1 text-xs text-amber', className)}>
      <History aria-hidden className="size-3.5 shrink-0" />
      <span>
        {t('stale')} <Time at={atMs} />
      </span>
    </span>
  )
}
