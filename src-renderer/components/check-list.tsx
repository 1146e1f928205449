import { CircleAlert } from 'lucide-react'
import { useId } from 'react'
import { Checkbox } from '#renderer/components/checkbox.tsx'

type CheckListProps = {
  readonly label: string
  readonly choices: readonly { readonly value: string; readonly label: string; readonly note?: string | undefined }[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  /** What is said where there is nothing to choose. */
  readonly empty: string
  readonly error?: string | undefined
}

/** Any number out of several, in the order of the choices. */
export function CheckList({ label, choices, chosen, onChange, empty, error }: CheckListProps) {
  const id = useId()
  const toggle = (value: string) =>
    onChange(
      choices.flatMap((choice) => (chosen.includes(choice.value) !== (choice.value === value) ? [choice.value] : [])),
    )
  return (
    <div className="flex flex-col gap-1.5">
      <ul aria-label={label} className="max-h-48 overflow-y-auto rounded-md border border-line-strong bg-surface p-1">
        {choices.map(({ value, label: name, note }) => (
          <li key={value} className="flex items-center gap-2 rounded px-2 py-1.5 hover:bg-sunken">
            <Checkbox
              id={`${id}-${value}`}
              checked={chosen.includes(value)}
              onCheckedChange={() => toggle(value)}
              aria-invalid={error === undefined ? undefined : true}
            />
            <label htmlFor={`${id}-${value}`} className="min-w-0 flex-1 text-sm break-words">
              {name}
              {note !== undefined && <span className="ml-2 text-xs text-muted">{note}</span>}
            </label>
          </li>
        ))}
        {choices.length === 0 && <li className="px-2 py-1.5 text-sm text-muted">{empty}</li>}
      </ul>
      {error !== undefined && (
        <p role="alert" className="flex items-start gap-1 text-xs text-red">
          <CircleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
          {error}
        </p>
      )}
    </div>
  )
}
