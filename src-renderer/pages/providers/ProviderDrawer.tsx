import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { CopyField } from '#renderer/components/copy.tsx'
import { Sheet } from '#renderer/components/dialog.tsx'
import { DrawerSection, Facts } from '#renderer/components/facts.tsx'
import { HealthMark, HealthText } from '#renderer/components/target-health.tsx'
import { Time } from '#renderer/components/time.tsx'
import { isDemo } from '#renderer/data/demo.ts'
import type { ProviderRow } from '#renderer/data/provider-list.ts'
import { healthOf } from '#renderer/data/target-health.ts'
import type { ProviderTask } from '#renderer/pages/providers/ProviderDialogs.tsx'
import { BalanceSection } from '#renderer/pages/providers/BalanceSection.tsx'
import { ProviderUse } from '#renderer/pages/providers/ProviderUse.tsx'
import { SecretList } from '#renderer/pages/providers/SecretList.tsx'
import { SecretMark } from '#renderer/pages/providers/SecretState.tsx'
import { SpendSection } from '#renderer/pages/providers/SpendSection.tsx'
import { TestButton } from '#renderer/pages/providers/TestButton.tsx'

type ProviderDrawerProps = {
  readonly row: ProviderRow
  readonly onClose: () => void
  readonly onTask: (task: ProviderTask) => void
}

export function ProviderDrawer({ row, onClose, onTask }: ProviderDrawerProps) {
  const { t } = useTranslation('providers')
  const { provider } = row
  const { id } = provider
  return (
    <Sheet
      isOpen
      onOpenChange={onClose}
      title={provider.name}
      {...(provider.base_url === '' ? {} : { description: provider.base_url })}
    >
      <div className="flex flex-wrap gap-2 pb-4">
        <Button size="small" onClick={() => onTask({ action: 'edit', id })}>
          {t('edit.action')}
        </Button>
        <Button size="small" look="danger" onClick={() => onTask({ action: 'remove', id })}>
          {t('remove.action')}
        </Button>
      </div>
      <DrawerSection title={t('test.title')}>
        <TestButton provider={provider} />
      </DrawerSection>
      <SecretSection row={row} onTask={onTask} />
      <ModelsSection row={row} onTask={onTask} />
      <DrawerSection title={t('limits.title')}>
        <ProviderUse row={row} />
      </DrawerSection>
      <BalanceSection provider={provider.name} />
      <SpendSection provider={provider.name} />
      <ConnectionSection row={row} />
    </Sheet>
  )
}

type ProviderSectionProps = { readonly row: ProviderRow; readonly onTask: (task: ProviderTask) => void }

function SecretSection({ row: { provider }, onTask }: ProviderSectionProps) {
  const { t } = useTranslation('providers')
  const isBuiltIn = isDemo(provider)
  return (
    <DrawerSection
      title={t('column.secret')}
      actions={
        !isBuiltIn && (
          <Button size="small" onClick={() => onTask({ action: 'secret', id: provider.id })}>
            {t(provider.has_secret ? 'secret.replace' : 'secret.give')}
          </Button>
        )
      }
    >
      <div className="flex items-start gap-3">
        <SecretMark provider={provider} />
        <p className="text-sm text-muted">{t(isBuiltIn ? 'secretText.demo' : `secretText.${provider.secret_state}`)}</p>
      </div>
      {provider.has_secret && <SecretList provider={provider} />}
    </DrawerSection>
  )
}

function ModelsSection({ row, onTask }: ProviderSectionProps) {
  const { t } = useTranslation('providers')
  const { provider, models, targets } = row
  return (
    <DrawerSection
      title={t('column.models')}
      actions={
        <Button size="small" onClick={() => onTask({ action: 'models', id: provider.id })}>
          {t('offers.action')}
        </Button>
      }
    >
      {models?.length === 0 && <p className="text-sm text-muted">{t('noModels')}</p>}
      {models !== undefined && models.length > 0 && (
        <ul className="max-h-80 divide-y divide-line overflow-y-auto rounded-md border border-line">
          {models.flatMap((model) =>
            model.targets
              .filter((target) => target.provider === provider.name)
              .map((target) => {
                const known = healthOf(target, targets)
                return (
                  <li key={`${model.id} ${target.model}`} className="flex items-start gap-3 px-3 py-2">
                    <div className="min-w-0 flex-1">
                      <p className="text-sm break-words">
                        <Link
                          to="/models"
                          search={{ open: model.id }}
                          className="font-medium text-accent underline-offset-2 hover:underline"
                        >
                          {model.id}
                        </Link>
                        {target.model !== model.id && <span className="ml-2 text-muted">{target.model}</span>}
                      </p>
                      <HealthText target={known} />
                    </div>
                    <HealthMark state={known?.state ?? 'unknown'} />
                  </li>
                )
              }),
          )}
        </ul>
      )}
    </DrawerSection>
  )
}

function ConnectionSection({ row: { provider } }: { readonly row: ProviderRow }) {
  const { t } = useTranslation('providers')
  const quirks = Object.keys(provider.quirks).length
  const network = provider.network === 'local' ? 'local' : 'public'
  return (
    <DrawerSection title={t('connection')}>
      <Facts
        facts={[
          { name: t('field.preset'), value: provider.preset ?? '–' },
          { name: t('field.dialect'), value: provider.dialect },
          { name: t('field.network'), value: t(`network.${network}`) },
          { name: t('field.secretHeader'), value: provider.secret_header },
          { name: t('field.onDisconnect'), value: t(`disconnect.${provider.on_disconnect}`) },
          { name: t('quirks.title'), value: quirks === 0 ? '–' : t('quirks.count', { count: quirks }) },
          { name: t('created'), value: <Time at={provider.created_at} /> },
        ]}
      />
      <CopyField label={t('field.id')} text={provider.id} />
    </DrawerSection>
  )
}
