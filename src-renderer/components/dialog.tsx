import { X } from 'lucide-react'
import { Dialog as Base } from 'radix-ui'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '#renderer/components/button.tsx'
import { cn } from '#renderer/components/cn.ts'
import { useReturnFocus } from '#renderer/components/use-return-focus.ts'

type PanelProps = {
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
  readonly title: string
  /** One sentence under the title; screen readers say it when the panel opens. */
  readonly description?: ReactNode
  /** Buttons at the end, the main one last. */
  readonly footer?: ReactNode
  /** While Escape is meant for something inside, and must not close the panel. */
  readonly keepsEscape?: boolean
  /** The page itself says what gets the focus when the panel closes. */
  readonly leavesFocus?: boolean
  readonly className?: string
  readonly children?: ReactNode
}

/** A panel in the middle that asks for something and goes away. */
export function Dialog(props: PanelProps) {
  return (
    <Panel
      {...props}
      className={cn(
        'top-1/2 left-1/2 max-h-[calc(100dvh-32px)] w-[calc(100vw-24px)] max-w-lg -translate-x-1/2 -translate-y-1/2 rounded-lg border border-line',
        props.className,
      )}
    />
  )
}

/** A drawer at the right edge, for the details of a row. */
export function Sheet(props: PanelProps) {
  return (
    <Panel {...props} className={cn('inset-y-0 right-0 h-dvh w-full max-w-xl border-l border-line', props.className)} />
  )
}

function Panel(props: PanelProps) {
  const { isOpen, onOpenChange, title, description, footer, keepsEscape, leavesFocus, className, children } = props
  const { t } = useTranslation('common')
  const focus = useReturnFocus()
  return (
    <Base.Root open={isOpen} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Overlay className="fixed inset-0 z-40 bg-shade data-[state=open]:animate-appear" />
        <Base.Content
          {...(leavesFocus === true ? {} : focus)}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          onEscapeKeyDown={(event) => {
            if (keepsEscape === true) event.preventDefault()
          }}
          className={cn('fixed z-50 flex flex-col bg-raised shadow-xl data-[state=open]:animate-appear', className)}
        >
          <div className="flex items-start gap-4 px-5 pt-4">
            <div className="min-w-0 flex-1">
              <Base.Title className="text-base font-semibold break-words">{title}</Base.Title>
              {description !== undefined && (
                <Base.Description className="mt-1 text-sm text-muted">{description}</Base.Description>
              )}
            </div>
            <Base.Close asChild>
              <IconButton label={t('close')} size="small-icon">
                <X aria-hidden />
              </IconButton>
            </Base.Close>
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
          {footer !== undefined && (
            <div className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{footer}</div>
          )}
        </Base.Content>
      </Base.Portal>
    </Base.Root>
  )
}
