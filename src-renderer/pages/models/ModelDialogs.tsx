import type { ModelView } from '#contract/schemas.ts'
import { AddModel } from '#renderer/pages/models/AddModel.tsx'
import { CardDialog } from '#renderer/pages/models/CardDialog.tsx'
import { EditModel } from '#renderer/pages/models/EditModel.tsx'
import { PriceDialog } from '#renderer/pages/models/PriceDialog.tsx'
import { RemoveModel } from '#renderer/pages/models/RemoveModel.tsx'
import { TargetsDialog } from '#renderer/pages/models/TargetsDialog.tsx'

/** What somebody is about to do. */
export type ModelTask =
  | { readonly action: 'add' | 'card' }
  | { readonly action: 'edit' | 'price' | 'targets' | 'remove'; readonly model: ModelView }

type ModelDialogsProps = {
  readonly task: ModelTask | undefined
  readonly onClose: () => void
  /** After the model is removed. */
  readonly onGone: () => void
}

export function ModelDialogs({ task, onClose, onGone }: ModelDialogsProps) {
  switch (task?.action) {
    case undefined:
      return null
    case 'add':
      return <AddModel onClose={onClose} />
    case 'card':
      return <CardDialog onClose={onClose} />
    case 'edit':
      return <EditModel model={task.model} onClose={onClose} />
    case 'price':
      return <PriceDialog model={task.model} onClose={onClose} />
    case 'targets':
      return <TargetsDialog model={task.model} onClose={onClose} />
    case 'remove':
      return <RemoveModel model={task.model} onClose={onClose} onGone={onGone} />
  }
}
