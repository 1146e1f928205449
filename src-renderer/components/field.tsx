import { CircleAlert } from 'lucide-react'
import { useId, type ReactNode } from 'react'
import { cn } from '#renderer/components/cn.ts'

export type ControlProps = {
  readonly id: string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: true
}

type FieldProps = {
  readonly label: string
  readonly hint?: ReactNode
  /** What is wrong and what to do, in a sentence. */
  readonly error?: string | undefined
  readonly isOptional?: boolean
  readonly optionalWord?: string
  /** `row` puts the control before its label, for switches and checkboxes. */
  readonly layout?: 'column' | 'row'
  readonly className?: string
  /** Draws the control with what ties it to its label, hint and error. */
  readonly children: (control: ControlProps) => ReactNode
}

export function Field({ label, hint, error, layout = 'column', className, children, ...rest }: FieldProps) {
  const id = useId()
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`].filter(Boolean)
  const control = children({
    id,
    ...(described.length > 0 ? { 'aria-describedby': described.join(' ') } : {}),
    ...(error === undefined ? {} : { 'aria-invalid': true as const }),
  })
  const name = (
    <label htmlFor={id} className="text-sm font-medium">
      {label}
      {rest.isOptional === true && <span className="font-normal text-muted"> {rest.optionalWord}</span>}
    </label>
  )
  return (
    <div className={cn('flex flex-col gap-1.5', className)}>
      {layout === 'column' && name}
      {layout === 'row' ? (
        <div className="flex items-center gap-3">
          {control}
          {name}
        </div>
      ) : (
        control
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      <FieldError id={`${id}-error`} error={error} />
    </div>
  )
}

function FieldError({ id, error }: { readonly id: string; readonly error: string | undefined }) {
  if (error === undefined) return null
  return (
    <p id={id} role="alert" className="flex items-start gap-1 text-xs text-red">
      <CircleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
      {error}
    </p>
  )
}
