import { Check, Minus } from 'lucide-react'
import { Checkbox as Base } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from '#renderer/components/cn.ts'

/** Give it a label by `id` and `<label htmlFor>`, by `Field`, or by `aria-label`. */
export function Checkbox({ className, ...rest }: ComponentProps<typeof Base.Root>) {
  return (
    <Base.Root
      {...rest}
      className={cn(
        'inline-flex size-5 shrink-0 items-center justify-center rounded border border-line-strong bg-surface text-on-accent disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent',
        className,
      )}
    >
      <Base.Indicator>
        {rest.checked === 'indeterminate' ? (
          <Minus aria-hidden className="size-4" />
        ) : (
          <Check aria-hidden className="size-4" />
        )}
      </Base.Indicator>
    </Base.Root>
  )
}
