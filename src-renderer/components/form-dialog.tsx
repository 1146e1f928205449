import { CircleAlert } from 'lucide-react'
import { useId, type FormEvent, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { Dialog } from '#renderer/components/dialog.tsx'

type FormDialogProps = {
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
  readonly title: string
  readonly description?: ReactNode
  /** The verb on the button: `Top up`. */
  readonly action: string
  readonly isBusy: boolean
  readonly isDisabled?: boolean
  /** What was refused, where it is about no single field. What was typed stays. */
  readonly problem?: string | undefined
  readonly onSubmit: () => void
  readonly keepsEscape?: boolean
  readonly className?: string
  readonly children: ReactNode
}

/** A dialog that asks for something and sends it; Enter sends, Escape leaves. */
export function FormDialog({ action, isBusy, isDisabled, problem, onSubmit, children, ...panel }: FormDialogProps) {
  const { t } = useTranslation('common')
  const id = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A dialog inside this one is drawn elsewhere, but its events come up here all the same.
    event.stopPropagation()
    if (!isBusy && isDisabled !== true) onSubmit()
  }
  return (
    <Dialog
      {...panel}
      footer={
        <>
          <Button onClick={() => panel.onOpenChange(false)}>{t('cancel')}</Button>
          <Button type="submit" form={id} look="primary" isBusy={isBusy} disabled={isDisabled}>
            {action}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={submit} className="flex flex-col gap-4">
        {children}
        <Problem text={problem} />
      </form>
    </Dialog>
  )
}

/** A refusal in the words of the server, where it was caused. */
export function Problem({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null
  return (
    <p role="alert" className="flex items-start gap-2 rounded-md bg-red-soft px-3 py-2 text-sm break-words text-red">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      {text}
    </p>
  )
}
