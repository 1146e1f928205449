import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cn } from '#renderer/components/cn.ts'

const BOX =
  'w-full rounded-md border border-line-strong bg-surface px-3 text-sm text-ink placeholder:text-muted disabled:cursor-not-allowed disabled:opacity-50 aria-invalid:border-red'

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input autoComplete="off" spellCheck={false} {...rest} className={cn(BOX, 'h-9', className)} />
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea rows={4} {...rest} className={cn(BOX, 'py-2', className)} />
}

/** The browser's own list: it needs no script, works on every touch screen and is known to every screen reader. */
export function Select({ className, children, ...rest }: ComponentProps<'select'>) {
  return (
    <span className={cn('relative inline-block w-full', className)}>
      <select {...rest} className={cn(BOX, 'field-sizing-content h-9 appearance-none pr-7 text-ellipsis')}>
        {children}
      </select>
      <ChevronDown aria-hidden className="pointer-events-none absolute top-2.5 right-2 size-4 text-muted" />
    </span>
  )
}
