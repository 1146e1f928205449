import { cva, type VariantProps } from 'class-variance-authority'
import { LoaderCircle } from 'lucide-react'
import { Slot } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'
import { cn } from '#renderer/components/cn.ts'

const styles = cva(
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-md border text-sm font-medium whitespace-nowrap transition-colors duration-[120ms] disabled:cursor-not-allowed disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      look: {
        primary: 'border-transparent bg-accent text-on-accent not-disabled:hover:bg-accent-strong',
        plain: 'border-line bg-surface text-ink not-disabled:hover:bg-sunken',
        quiet: 'border-transparent bg-transparent text-ink not-disabled:hover:bg-sunken',
        danger: 'border-line bg-surface text-red not-disabled:hover:bg-red-soft',
      },
      size: { normal: 'h-9 px-3', small: 'h-7 px-2 text-xs', icon: 'size-9', 'small-icon': 'size-7' },
    },
    defaultVariants: { look: 'plain', size: 'normal' },
  },
)

type ButtonProps = Omit<ComponentProps<'button'>, 'children'> &
  VariantProps<typeof styles> & {
    readonly children: ReactNode
    /** Shows that the action is under way and takes no second press. */
    readonly isBusy?: boolean
    /** Draws the only child (a link) as a button. */
    readonly asChild?: boolean
  }

export function Button({ look, size, isBusy = false, asChild = false, className, children, ...rest }: ButtonProps) {
  const classes = cn(styles({ look, size }), className)
  if (asChild) {
    return (
      <Slot.Root className={classes} {...rest}>
        {children}
      </Slot.Root>
    )
  }
  return (
    <button
      type="button"
      {...rest}
      className={classes}
      disabled={isBusy || rest.disabled}
      aria-busy={isBusy || undefined}
    >
      {isBusy && <LoaderCircle aria-hidden className="animate-spin" />}
      {children}
    </button>
  )
}

type IconButtonProps = Omit<ButtonProps, 'aria-label' | 'size'> & {
  /** What a screen reader says, and what hovering shows. */
  readonly label: string
  readonly size?: 'icon' | 'small-icon'
}

export function IconButton({ label, size = 'icon', look = 'quiet', ...rest }: IconButtonProps) {
  return <Button {...rest} look={look} size={size} aria-label={label} title={label} />
}
