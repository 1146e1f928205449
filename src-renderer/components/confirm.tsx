import { AlertDialog as Base } from 'radix-ui'
import { useId, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'
import { useReturnFocus } from '#renderer/components/use-return-focus.ts'

type ConfirmProps = {
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
  /** The question: `Revoke the key "ci"?` */
  readonly title: string
  /** What will happen and whether it can be undone. */
  readonly description: ReactNode
  /** The verb on the button: `Revoke`. */
  readonly action: string
  /** Something that has to be typed first, for what cannot be undone. */
  readonly typed?: string
  readonly isBusy?: boolean
  /** Why it was refused, after a try. */
  readonly problem?: string | undefined
  readonly onConfirm: () => void
}

export function Confirm(props: ConfirmProps) {
  const { isOpen, onOpenChange, title, description, action, typed, isBusy, problem, onConfirm } = props
  const { t } = useTranslation('common')
  const [text, setText] = useState('')
  const id = useId()
  const focus = useReturnFocus()
  const change = (next: boolean) => {
    setText('')
    onOpenChange(next)
  }
  return (
    <Base.Root open={isOpen} onOpenChange={change}>
      <Base.Portal>
        <Base.Overlay className="fixed inset-0 z-40 bg-shade data-[state=open]:animate-appear" />
        <Base.Content
          {...focus}
          className="fixed top-1/2 left-1/2 z-50 w-[calc(100vw-24px)] max-w-md -translate-x-1/2 -translate-y-1/2 rounded-lg border border-line bg-raised p-5 shadow-xl data-[state=open]:animate-appear"
        >
          <Base.Title className="text-base font-semibold break-words">{title}</Base.Title>
          <Base.Description className="mt-1 text-sm text-muted">{description}</Base.Description>
          {typed !== undefined && (
            <div className="mt-4 flex flex-col gap-1.5">
              <label htmlFor={id} className="text-sm">
                {t('confirm.type', { text: typed })}
              </label>
              <Input id={id} value={text} onChange={(event) => setText(event.target.value)} />
            </div>
          )}
          {problem !== undefined && (
            <div className="mt-4">
              <Problem text={problem} />
            </div>
          )}
          <div className="mt-5 flex flex-wrap justify-end gap-2">
            <Base.Cancel asChild>
              <Button>{t('cancel')}</Button>
            </Base.Cancel>
            <Button
              look="danger"
              isBusy={isBusy ?? false}
              disabled={typed !== undefined && text !== typed}
              onClick={onConfirm}
            >
              {action}
            </Button>
          </div>
        </Base.Content>
      </Base.Portal>
    </Base.Root>
  )
}
