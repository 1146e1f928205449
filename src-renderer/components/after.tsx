import type { ReactNode } from 'react'
import { cn } from '#renderer/components/cn.ts'

type AfterProps = {
  /** Whether what stands above is there, or will not come. */
  readonly isReady: boolean
  /** Drawn in its place until then. It is taken away and never moved, so that nothing moves under a reader's eyes. */
  readonly meanwhile?: ReactNode
  /** Where it stands below that: in `wide` windows alone, or only where what is side by side there is `stacked`; everywhere unless given. */
  readonly where?: 'wide' | 'stacked' | undefined
  readonly children: ReactNode
}

/** What stands below something whose height nobody knows yet: it asks for its data like everything else, and is seen once it will stay where it is. */
export function After({ isReady, meanwhile, where, children }: AfterProps) {
  return (
    <>
      {!isReady && meanwhile}
      <div
        className={cn('contents', {
          invisible: !isReady && where === undefined,
          'sm:invisible': !isReady && where === 'wide',
          'max-lg:invisible': !isReady && where === 'stacked',
        })}
      >
        {children}
      </div>
    </>
  )
}
