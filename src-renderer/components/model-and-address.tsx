import type { ModelView } from '#contract/schemas.ts'
import { CopyField } from '#renderer/components/copy.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Select } from '#renderer/components/input.tsx'
import { isFor } from '#renderer/data/choices.ts'

type ModelAndAddressProps = {
  readonly labels: { readonly model: string; readonly address: string }
  /** Of these the chat models that are enabled can be chosen. */
  readonly models: readonly ModelView[]
  readonly model: string | undefined
  readonly onModel: (id: string) => void
  /** Why no model can be chosen. */
  readonly problem?: string | undefined
  readonly url: string
}

/** What the lines for a tool are made with: the model to choose, and beside it the address to copy. */
export function ModelAndAddress({ labels, models, model, onModel, problem, url }: ModelAndAddressProps) {
  const chat = models.filter((one) => isFor('chat', one))
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label={labels.model} error={problem}>
        {(control) => (
          <Select
            {...control}
            disabled={chat.length === 0}
            value={model ?? ''}
            onChange={(event) => onModel(event.target.value)}
          >
            {chat.map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <div className="flex flex-col gap-1.5">
        <span className="text-sm font-medium">{labels.address}</span>
        <CopyField label={labels.address} text={url} />
      </div>
    </div>
  )
}
