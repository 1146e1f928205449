import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { ModelView } from '#contract/schemas.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { CopyField } from '#renderer/components/copy.tsx'
import { Sheet } from '#renderer/components/dialog.tsx'
import { DrawerSection, Facts } from '#renderer/components/facts.tsx'
import { Money } from '#renderer/components/money.tsx'
import { Time } from '#renderer/components/time.tsx'
import { Tokens } from '#renderer/components/tokens.tsx'
import { fineLines } from '#renderer/data/fine-prices.ts'
import { concernedBy } from '#renderer/data/model-list.ts'
import { finePrices } from '#renderer/data/price-form.ts'
import { callCost, isFree, PRICE_CLASSES, priceMicroOf, SAMPLE_CALL } from '#renderer/data/pricing.ts'
import type { TargetHealth } from '#renderer/data/target-health.ts'
import { FinePrices } from '#renderer/pages/models/FinePrices.tsx'
import type { ModelTask } from '#renderer/pages/models/ModelDialogs.tsx'
import { ModelKind, ModelStatus } from '#renderer/pages/models/ModelState.tsx'
import { TargetList } from '#renderer/pages/models/TargetList.tsx'
import { useModelSwitch } from '#renderer/pages/models/use-model-switch.ts'

type ModelDrawerProps = {
  readonly model: ModelView
  readonly health: readonly TargetHealth[] | undefined
  readonly onClose: () => void
  readonly onTask: (task: ModelTask) => void
}

export function ModelDrawer({ model, health, onClose, onTask }: ModelDrawerProps) {
  const { t } = useTranslation('models')
  const description = model.display_name === model.id ? {} : { description: model.display_name }
  return (
    <Sheet isOpen onOpenChange={onClose} title={model.id} {...description}>
      <Actions model={model} onTask={onTask} />
      <DrawerSection
        title={t('price.title')}
        actions={
          <Button size="small" onClick={() => onTask({ action: 'price', model })}>
            {t('price.action')}
          </Button>
        }
      >
        <PriceFacts model={model} />
      </DrawerSection>
      <DrawerSection
        title={t('targets.title')}
        actions={
          <Button size="small" onClick={() => onTask({ action: 'targets', model })}>
            {t('targets.action')}
          </Button>
        }
      >
        <TargetList model={model} health={health} />
      </DrawerSection>
      <DrawerSection title={t('who.title')}>
        <WhoMayAsk id={model.id} />
      </DrawerSection>
      <DrawerSection title={t('details')}>
        <Facts
          facts={[
            { name: t('column.kind'), value: <ModelKind kind={model.kind} /> },
            { name: t('field.context'), value: <Tokens count={model.context_window} isExact /> },
            { name: t('field.maxOutput'), value: <Tokens count={model.max_output_tokens || undefined} isExact /> },
            { name: t('created'), value: <Time at={model.created_at} /> },
          ]}
        />
        <CopyField label={t('column.name')} text={model.id} />
      </DrawerSection>
    </Sheet>
  )
}

type ModelPartProps = { readonly model: ModelView; readonly onTask: (task: ModelTask) => void }

function Actions({ model, onTask }: ModelPartProps) {
  const { t } = useTranslation('models')
  const toggle = useModelSwitch(model)
  return (
    <div className="flex flex-wrap items-center gap-2 pb-4">
      <ModelStatus model={model} />
      <span className="flex-1" />
      {!toggle.isLocked && (
        <Button size="small" isBusy={toggle.isBusy} onClick={toggle.run}>
          {t(model.enabled ? 'disable.action' : 'enable.action')}
        </Button>
      )}
      <Button size="small" onClick={() => onTask({ action: 'edit', model })}>
        {t('edit.action')}
      </Button>
      <Button size="small" look="danger" onClick={() => onTask({ action: 'remove', model })}>
        {t('remove.action')}
      </Button>
    </div>
  )
}

function PriceFacts({ model: { price } }: { readonly model: ModelView }) {
  const { t } = useTranslation('models')
  const micro = priceMicroOf(price)
  if (micro === undefined) return <p className="text-sm text-muted">{t('price.none')}</p>
  return (
    <>
      {isFree(price) && fineLines(finePrices(price)).length === 0 ? (
        <p className="text-sm">{t('price.free')}</p>
      ) : (
        <Facts
          facts={[
            ...PRICE_CLASSES.map((name) => ({
              name: t(`class.${name}`),
              value: <Money micro={micro[name]} detail="exact" />,
            })),
            { name: t('price.sample'), value: <Money micro={callCost(SAMPLE_CALL, micro)} detail="exact" /> },
          ]}
        />
      )}
      <FinePrices fine={finePrices(price)} />
      <p className="text-xs text-muted">{t('price.version', { version: price?.version ?? 0 })}</p>
    </>
  )
}

function WhoMayAsk({ id }: { readonly id: string }) {
  const { t } = useTranslation('models')
  const packages = useApi('listPackages', {}).data
  if (packages === undefined) return null
  const { named, all, keys } = concernedBy(id, packages)
  const names = [...named, ...all]
  if (names.length === 0) return <p className="text-sm text-muted">{t('who.nobody')}</p>
  return (
    <>
      <p className="text-sm">{t('who.keys', { count: keys })}</p>
      <ul className="flex flex-wrap gap-x-3 gap-y-1 text-sm">
        {names.map((entity) => (
          <li key={entity.id}>
            <Link
              to="/packages"
              search={{ open: entity.id }}
              className="text-accent underline-offset-2 hover:underline"
            >
              {entity.name}
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
