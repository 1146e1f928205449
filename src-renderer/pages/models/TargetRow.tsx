import { useSortable } from '@dnd-kit/sortable'
import { CircleAlert, GripVertical, Trash2 } from 'lucide-react'
import type { CSSProperties } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '#renderer/components/button.tsx'
import { Checkbox } from '#renderer/components/checkbox.tsx'
import { cn } from '#renderer/components/cn.ts'
import { Input, Select } from '#renderer/components/input.tsx'
import { percentText } from '#renderer/data/numbers.ts'
import { readWeight, type OrderedTarget } from '#renderer/data/target-order.ts'

type TargetRowProps = {
  readonly target: OrderedTarget
  /** From 0. */
  readonly place: number
  /** The part of the requests at its place, from 0 to 1. */
  readonly part: number | undefined
  readonly isFirst: boolean
  readonly isOnly: boolean
  readonly providers: readonly string[]
  readonly error: string | undefined
  readonly onChange: (change: Partial<Omit<OrderedTarget, 'id'>>) => void
  readonly onRemove: () => void
}

export function TargetRow(props: TargetRowProps) {
  const { target, place, isFirst, isOnly, error, onChange, onRemove } = props
  const { t } = useTranslation('models')
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: target.id,
  })
  const moving: CSSProperties =
    transform === null
      ? {}
      : { transform: `translate3d(0, ${transform.y}px, 0)`, ...(transition ? { transition } : {}) }
  return (
    <li
      ref={setNodeRef}
      style={moving}
      className={cn(
        'relative rounded-md border border-line bg-raised',
        isDragging && 'z-10 border-accent shadow-lg',
        target.isShared && 'ml-6',
      )}
    >
      <div className="flex items-center gap-2 p-2">
        <button
          type="button"
          ref={setActivatorNodeRef}
          {...attributes}
          {...listeners}
          aria-label={t('targets.move', { name: target.provider })}
          className="flex size-7 shrink-0 cursor-grab touch-none items-center justify-center rounded text-muted hover:bg-sunken hover:text-ink"
        >
          <GripVertical aria-hidden className="size-4" />
        </button>
        <span className="w-5 text-sm text-muted tabular-nums">{place + 1}.</span>
        <NameFields {...props} />
        <IconButton
          label={t('targets.remove', { name: target.provider })}
          size="small-icon"
          disabled={isOnly}
          onClick={onRemove}
        >
          <Trash2 aria-hidden />
        </IconButton>
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-2 pb-2 pl-16 max-sm:pl-11">
        {!isFirst && (
          <label className="flex items-center gap-2 text-xs">
            <Checkbox
              checked={target.isShared}
              onCheckedChange={(next) => onChange({ isShared: next === true })}
              className="size-4"
            />
            {t('targets.shared')}
          </label>
        )}
        <WeightField {...props} />
      </div>
      {error !== undefined && (
        <p role="alert" className="flex items-start gap-1 px-2 pb-2 pl-16 text-xs text-red">
          <CircleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
          {error}
        </p>
      )}
    </li>
  )
}

function NameFields({ target, providers, onChange }: TargetRowProps) {
  const { t } = useTranslation('models')
  const isKnown = target.provider === '' || providers.includes(target.provider)
  return (
    <div className="grid min-w-0 flex-1 grid-cols-2 gap-2 max-sm:grid-cols-1">
      <Select
        aria-label={t('provider')}
        value={target.provider}
        onChange={(event) => onChange({ provider: event.target.value })}
      >
        <option value="">{t('field.choose')}</option>
        {!isKnown && <option value={target.provider}>{target.provider}</option>}
        {providers.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </Select>
      <Input
        aria-label={t('field.upstream')}
        placeholder={t('field.upstream')}
        maxLength={200}
        value={target.model}
        onChange={(event) => onChange({ model: event.target.value })}
      />
    </div>
  )
}

/** The weight matters only among targets that share a place. */
function WeightField({ target, part, onChange }: TargetRowProps) {
  const { t, i18n } = useTranslation('models')
  if (part === 1) return null
  return (
    <label className="flex items-center gap-2 text-xs">
      {t('targets.weight')}
      <Input
        inputMode="numeric"
        maxLength={4}
        aria-invalid={readWeight(target.weight) === undefined || undefined}
        value={target.weight}
        onChange={(event) => onChange({ weight: event.target.value })}
        className="h-7 w-16 px-2 text-right tabular-nums"
      />
      <span className="text-muted tabular-nums">
        {part === undefined ? t('targets.weightHint') : t('targets.takes', { part: percentText(part, i18n.language) })}
      </span>
    </label>
  )
}
