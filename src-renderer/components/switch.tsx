import { Switch as Base } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from '#renderer/components/cn.ts'

/** Give it a label by `id` and `<label htmlFor>`, by `Field`, or by `aria-label`. */
export function Switch({ className, ...rest }: ComponentProps<typeof Base.Root>) {
  return (
    <Base.Root
      {...rest}
      className={cn(
        'inline-flex h-6 w-10 shrink-0 items-center rounded-full border border-line-strong bg-sunken p-0.5 transition-colors duration-[120ms] disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent',
        className,
      )}
    >
      <Base.Thumb className="size-4.5 rounded-full bg-line-strong transition-transform duration-[120ms] data-[state=checked]:translate-x-4 data-[state=checked]:bg-on-accent" />
    </Base.Root>
  )
}
