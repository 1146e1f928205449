import { Ellipsis } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { ModelView } from '#contract/schemas.ts'
import { IconButton } from '#renderer/components/button.tsx'
import { cn } from '#renderer/components/cn.ts'
import type { Column } from '#renderer/components/data-table.tsx'
import { Menu, MenuItem, MenuLine } from '#renderer/components/menu.tsx'
import { Money } from '#renderer/components/money.tsx'
import { PriceHead } from '#renderer/components/price-head.tsx'
import { HealthMark } from '#renderer/components/target-health.tsx'
import { Tokens } from '#renderer/components/tokens.tsx'
import { microOf } from '#renderer/data/money.ts'
import { healthOf, worstOf, type TargetHealth } from '#renderer/data/target-health.ts'
import type { ModelTask } from '#renderer/pages/models/ModelDialogs.tsx'
import { ModelKind, ModelStatus } from '#renderer/pages/models/ModelState.tsx'
import { useModelSwitch } from '#renderer/pages/models/use-model-switch.ts'

type OnModelTask = (task: ModelTask) => void

export function useModelColumns(
  health: readonly TargetHealth[] | undefined,
  onTask: OnModelTask,
): readonly Column<ModelView>[] {
  const { t } = useTranslation('models')
  return useMemo(() => {
    const price = (name: 'input' | 'output'): Column<ModelView> => ({
      id: name,
      header: <PriceHead name={t(`class.${name}`)} hint={t('perMillion')} />,
      cell: (model) => <Money credits={model.price?.[name]} detail="exact" hasUnit={false} />,
      sortBy: (model) => (model.price === null ? undefined : microOf(model.price[name])),
      align: 'right',
      className: 'max-sm:hidden',
    })
    const columns: readonly Column<ModelView>[] = [
      {
        id: 'name',
        header: t('column.name'),
        cell: (model) => <ModelName model={model} />,
        sortBy: ({ id }) => id,
        // What the other columns leave; long names are cut before those are.
        className: 'sm:w-full sm:max-w-0 sm:min-w-32',
      },
      {
        id: 'kind',
        header: t('column.kind'),
        cell: ({ kind }) => <ModelKind kind={kind} />,
        sortBy: ({ kind }) => kind,
        className: 'max-[1279px]:hidden',
      },
      {
        id: 'context',
        header: t('column.context'),
        cell: (model) => <Tokens count={model.context_window} />,
        sortBy: (model) => model.context_window,
        align: 'right',
        className: 'max-lg:hidden',
      },
      price('input'),
      price('output'),
      {
        id: 'cache',
        header: <PriceHead name={t('column.cache')} hint={t('cacheHint')} />,
        cell: ({ price: prices }) => <CachePrices price={prices} />,
        align: 'right',
        className: 'max-[1439px]:hidden',
      },
      {
        id: 'targets',
        header: t('column.targets'),
        cell: (model) => <Targets model={model} health={health} />,
        className: 'max-lg:hidden',
      },
      {
        id: 'state',
        header: t('column.state'),
        cell: (model) => <ModelStatus model={model} />,
        sortBy: ({ enabled, price: prices }) => `${Number(!enabled)}${Number(prices === null)}`,
      },
      {
        id: 'actions',
        header: <span className="sr-only">{t('column.actions')}</span>,
        cell: (model) => <ModelMenu model={model} onTask={onTask} />,
        align: 'right',
        className: 'w-10 max-sm:hidden',
      },
    ]
    return columns
  }, [t, health, onTask])
}

function ModelName({ model }: { readonly model: ModelView }) {
  return (
    <span className="flex min-w-0 items-baseline gap-2 max-sm:max-w-48" title={`${model.id}\n${model.display_name}`}>
      <span className="max-w-full shrink-0 truncate font-medium">{model.id}</span>
      {model.display_name !== model.id && (
        <span className="truncate text-muted max-[1439px]:hidden">{model.display_name}</span>
      )}
    </span>
  )
}

function CachePrices({ price }: { readonly price: ModelView['price'] }) {
  if (price === null) return <Money credits={null} />
  return (
    <span className="whitespace-nowrap">
      <Money credits={price.cache_read} detail="exact" hasUnit={false} />
      <span className="text-muted"> / </span>
      <Money credits={price.cache_write} detail="exact" hasUnit={false} />
    </span>
  )
}

type TargetsProps = { readonly model: ModelView; readonly health: readonly TargetHealth[] | undefined }

/** Who is asked first, how many more there are, and how the worst of them is. */
function Targets({ model, health }: TargetsProps) {
  const { t } = useTranslation('models')
  const sorted = model.targets.toSorted((left, right) => left.priority - right.priority)
  const worst = model.enabled
    ? worstOf(sorted.map((target) => healthOf(target, health)?.state ?? 'unknown'))
    : undefined
  const isMarked = health !== undefined && worst !== undefined && worst !== 'ok'
  return (
    <span
      className="flex items-center gap-2"
      title={sorted.map(({ provider, model: name }) => `${provider}: ${name}`).join('\n')}
    >
      <span className={cn('max-w-32 truncate', isMarked && 'max-[1279px]:hidden')}>{sorted[0]?.provider}</span>
      {sorted.length > 1 && (
        <span className="text-xs whitespace-nowrap text-muted">{t('moreTargets', { count: sorted.length - 1 })}</span>
      )}
      {isMarked && <HealthMark state={worst} />}
    </span>
  )
}

function ModelMenu({ model, onTask }: { readonly model: ModelView; readonly onTask: OnModelTask }) {
  const { t } = useTranslation('models')
  const toggle = useModelSwitch(model)
  return (
    <Menu
      trigger={
        <IconButton label={t('actionsOf', { name: model.id })} size="small-icon">
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      <MenuItem onSelect={() => onTask({ action: 'price', model })}>{t('price.action')}</MenuItem>
      <MenuItem onSelect={() => onTask({ action: 'targets', model })}>{t('targets.action')}</MenuItem>
      <MenuItem onSelect={() => onTask({ action: 'edit', model })}>{t('edit.action')}</MenuItem>
      <MenuItem onSelect={toggle.run} isDisabled={toggle.isLocked}>
        {t(model.enabled ? 'disable.action' : 'enable.action')}
      </MenuItem>
      <MenuLine />
      <MenuItem isDanger onSelect={() => onTask({ action: 'remove', model })}>
        {t('remove.action')}
      </MenuItem>
    </Menu>
  )
}
