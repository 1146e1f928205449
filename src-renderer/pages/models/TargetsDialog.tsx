// The targets of a model in an order that is changed by dragging, or by the keyboard.

import { closestCenter, DndContext, type DragEndEvent } from '@dnd-kit/core'
import { SortableContext, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { Plus } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ModelView } from '#contract/schemas.ts'
import { ApiError } from '#renderer/api/client.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import {
  changed,
  moved,
  orderOf,
  partsOf,
  placesOf,
  targetsBody,
  withAnother,
  without,
  type OrderedTarget,
} from '#renderer/data/target-order.ts'
import { TargetRow } from '#renderer/pages/models/TargetRow.tsx'
import { useDragSensors, useDragWords } from '#renderer/pages/models/use-drag-words.ts'

const MAX_TARGETS = 20

type TargetsDialogProps = { readonly model: ModelView; readonly onClose: () => void }

export function TargetsDialog({ model, onClose }: TargetsDialogProps) {
  const { t } = useTranslation('models')
  const [order, setOrder] = useState(() => orderOf(model.targets))
  const [added, setAdded] = useState(0)
  const [isMoving, setIsMoving] = useState(false)
  const providers = useApi('listProviders', {}).data?.map(({ name }) => name) ?? []
  const edit = useAction('editModel', {
    done: t('targets.done', { name: model.id }),
    onDone: onClose,
    showsOwnErrors: true,
  })
  const body = targetsBody(order)
  const add = () => {
    setOrder(withAnother(order, `new${added}`, providers.length === 1 ? (providers[0] ?? '') : ''))
    setAdded(added + 1)
  }
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('targets.of', { name: model.id })}
      description={t('targets.text')}
      action={t('save')}
      isBusy={edit.isPending}
      isDisabled={body === undefined}
      problem={rowOf(edit.error) === undefined ? edit.error?.message : undefined}
      onSubmit={() => body && edit.mutate({ id: model.id, body: { targets: [...body] } })}
      keepsEscape={isMoving}
      className="max-w-2xl"
    >
      <SortableTargets
        order={order}
        onChange={setOrder}
        onMoving={setIsMoving}
        providers={providers}
        error={edit.error}
      />
      <div>
        <Button size="small" onClick={add} disabled={order.length >= MAX_TARGETS}>
          <Plus aria-hidden />
          {t('targets.add')}
        </Button>
      </div>
      <p className="text-xs text-muted">{t('targets.runningHint')}</p>
    </FormDialog>
  )
}

type SortableTargetsProps = {
  readonly order: readonly OrderedTarget[]
  readonly onChange: (order: readonly OrderedTarget[]) => void
  /** When a target is lifted, and when it is put down or left where it was. */
  readonly onMoving: (isMoving: boolean) => void
  readonly providers: readonly string[]
  readonly error: Error | null
}

function SortableTargets({ order, onChange, onMoving, providers, error }: SortableTargetsProps) {
  const { t } = useTranslation('models')
  const id = useId()
  const sensors = useDragSensors()
  const words = useDragWords(order)
  const places = placesOf(order)
  const parts = partsOf(order)
  const indexOf = (target: string | number | undefined) => order.findIndex((one) => one.id === target)
  const drop = ({ active, over }: DragEndEvent) => {
    onMoving(false)
    if (over !== null) onChange(moved(order, indexOf(active.id), indexOf(over.id)))
  }
  return (
    <DndContext
      id={id}
      sensors={sensors}
      collisionDetection={closestCenter}
      accessibility={words}
      onDragStart={() => onMoving(true)}
      onDragCancel={() => onMoving(false)}
      onDragEnd={drop}
    >
      <SortableContext items={order.map((target) => target.id)} strategy={verticalListSortingStrategy}>
        <ol aria-label={t('targets.title')} className="flex flex-col gap-2">
          {order.map((target, index) => (
            <TargetRow
              key={target.id}
              target={target}
              place={places[index] ?? 0}
              part={parts[index]}
              isFirst={index === 0}
              isOnly={order.length === 1}
              providers={providers}
              error={rowOf(error) === index ? error?.message : undefined}
              onChange={(change) => onChange(changed(order, target.id, change))}
              onRemove={() => onChange(without(order, index))}
            />
          ))}
        </ol>
      </SortableContext>
    </DndContext>
  )
}

/** The target that a refusal is about: `targets.2.provider` is the third. */
function rowOf(error: Error | null): number | undefined {
  const index = error instanceof ApiError ? /^targets\.(\d+)/.exec(error.param ?? '')?.[1] : undefined
  return index === undefined ? undefined : Number(index)
}
