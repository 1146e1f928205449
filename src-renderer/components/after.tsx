import type { ReactNode } from 'react'
import { cn } from '#renderer/components/cn.ts'

type AfterProps = {
  /** Whether what stands above is there, or will not come. */
  readonly isReady: boolean
  /** Drawn in its place until then. It is taken away and never moved, so that nothing moves under a reader's eyes. */
  readonly meanwhile?: ReactNode
  /** Narrow windows have another order, in which nothing of unknown height stands above. */
  readonly isWideOnly?: boolean
  readonly children: ReactNode
}

/** What stands below something whose height nobody knows yet: it asks for its data like everything else, and is seen once it will stay where it is. */
export function After({ isReady, meanwhile, isWideOnly = false, children }: AfterProps) {
  return (
    <>
      {!isReady && meanwhile}
      <div className={cn('contents', !isReady && (isWideOnly ? 'sm:invisible' : 'invisible'))}>{children}</div>
    </>
  )
}
