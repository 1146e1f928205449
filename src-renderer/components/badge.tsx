import { cva, type VariantProps } from 'class-variance-authority'
import { CircleCheck, CircleDashed, CircleMinus, OctagonX, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '#renderer/components/cn.ts'

const styles = cva(
  'inline-flex h-5 items-center gap-1 rounded px-1.5 text-xs font-medium whitespace-nowrap [&_svg]:size-3.5 [&_svg]:shrink-0',
  {
    variants: {
      tone: {
        live: 'bg-accent-soft text-accent',
        calm: 'bg-sunken text-muted',
        low: 'bg-amber-soft text-amber',
        lost: 'bg-red-soft text-red',
        waiting: 'bg-sunken text-muted',
      },
    },
    defaultVariants: { tone: 'calm' },
  },
)

export type Tone = NonNullable<VariantProps<typeof styles>['tone']>

const SHAPES = {
  live: CircleCheck,
  calm: CircleMinus,
  low: TriangleAlert,
  lost: OctagonX,
  waiting: CircleDashed,
} as const satisfies Record<Tone, unknown>

type BadgeProps = { readonly tone?: Tone; readonly className?: string; readonly children: ReactNode }

/** A word on a tint, for kinds and labels. */
export function Badge({ tone, className, children }: BadgeProps) {
  return <span className={cn(styles({ tone }), className)}>{children}</span>
}

/** A state: word and shape and colour, so that none of them has to be seen. */
export function Status({ tone = 'calm', className, children }: BadgeProps) {
  const Shape = SHAPES[tone]
  return (
    <span className={cn(styles({ tone }), className)}>
      <Shape aria-hidden />
      {children}
    </span>
  )
}
