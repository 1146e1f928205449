import { Tooltip as Base } from 'radix-ui'
import type { ReactNode } from 'react'

type TooltipProps = {
  readonly text: ReactNode
  /** One element that can take the focus, or a text that gets a stop of its own with `isText`. */
  readonly children: ReactNode
  /** Wraps plain text, so that the keyboard reaches it too. */
  readonly isText?: boolean
}

/** Says more about what it surrounds. Needs the provider of the shell. */
export function Tooltip({ text, children, isText = false }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger asChild>
        {isText ? (
          <button type="button" className="cursor-help rounded-sm text-left [font:inherit] tabular-nums">
            {children}
          </button>
        ) : (
          children
        )}
      </Base.Trigger>
      <Base.Portal>
        <Base.Content
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-w-72 animate-appear rounded bg-ink px-2 py-1 text-xs text-page"
        >
          {text}
        </Base.Content>
      </Base.Portal>
    </Base.Root>
  )
}

export function TooltipProvider({ children }: { readonly children: ReactNode }) {
  return (
    <Base.Provider delayDuration={300} skipDelayDuration={200}>
      {children}
    </Base.Provider>
  )
}
