import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { ModelView } from '#contract/schemas.ts'
import { HealthMark, HealthText } from '#renderer/components/target-health.tsx'
import { percentText } from '#renderer/data/numbers.ts'
import { healthOf, type TargetHealth } from '#renderer/data/target-health.ts'
import { orderOf, partsOf, placesOf } from '#renderer/data/target-order.ts'

type TargetListProps = { readonly model: ModelView; readonly health: readonly TargetHealth[] | undefined }

/** Who serves a model, in the order in which they are asked. */
export function TargetList({ model, health }: TargetListProps) {
  const { t, i18n } = useTranslation('models')
  const order = orderOf(model.targets)
  const places = placesOf(order)
  const parts = partsOf(order)
  return (
    <ol className="flex flex-col divide-y divide-line rounded-md border border-line">
      {order.map((target, index) => {
        const known = healthOf(target, health)
        const part = parts[index]
        return (
          <li key={target.id} className="flex items-start gap-3 px-3 py-2">
            <span className="w-5 shrink-0 text-sm text-muted tabular-nums" title={t('targets.place')}>
              {(places[index] ?? 0) + 1}.
            </span>
            <div className="min-w-0 flex-1">
              <p className="text-sm break-words">
                <Link
                  to="/providers"
                  search={{ open: target.provider }}
                  className="font-medium text-accent underline-offset-2 hover:underline"
                >
                  {target.provider}
                </Link>{' '}
                <span className="text-muted">{target.model}</span>
              </p>
              <HealthText target={known} />
            </div>
            {part !== undefined && part < 1 && (
              <span className="text-xs text-muted tabular-nums" title={t('targets.part')}>
                {percentText(part, i18n.language)}
              </span>
            )}
            {health !== undefined && <HealthMark state={known?.state ?? 'unknown'} />}
          </li>
        )
      })}
    </ol>
  )
}
