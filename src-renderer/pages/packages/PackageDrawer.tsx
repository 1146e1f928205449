import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { KeyView, PackageView } from '#contract/schemas.ts'
import { Status } from '#renderer/components/badge.tsx'
import { Button } from '#renderer/components/button.tsx'
import { CopyField } from '#renderer/components/copy.tsx'
import { Sheet } from '#renderer/components/dialog.tsx'
import { DrawerSection, Facts } from '#renderer/components/facts.tsx'
import { lastInstant, PackageFacts } from '#renderer/components/package-facts.tsx'
import { Time } from '#renderer/components/time.tsx'
import { useNow } from '#renderer/components/use-now.ts'
import { countText } from '#renderer/data/numbers.ts'
import { PACKAGE_TYPES } from '#renderer/data/package-change.ts'
import { msOf } from '#renderer/data/times.ts'
import { LeftList } from '#renderer/pages/packages/Left.tsx'
import type { PackageTask } from '#renderer/pages/packages/PackageDialogs.tsx'

type PackageDrawerProps = {
  readonly entity: PackageView
  readonly keys: readonly KeyView[] | undefined
  readonly onClose: () => void
  readonly onAction: ((task: PackageTask) => void) | undefined
}

export function PackageDrawer({ entity, keys, onClose, onAction }: PackageDrawerProps) {
  const { t, i18n } = useTranslation('packages')
  const type = PACKAGE_TYPES.find((known) => known === entity.type)
  return (
    <Sheet
      isOpen
      onOpenChange={onClose}
      title={entity.name}
      {...(type === undefined ? {} : { description: t(`typeText.${type}`) })}
    >
      {onAction !== undefined && (
        <div className="flex flex-wrap gap-2 pb-4">
          <Button size="small" onClick={() => onAction({ action: 'edit', entity })}>
            {t('edit.action')}
          </Button>
          <Button size="small" look="danger" onClick={() => onAction({ action: 'remove', entity })}>
            {t('remove.action')}
          </Button>
        </div>
      )}
      <DrawerSection title={t('gives')}>
        <PackageFacts item={entity} />
      </DrawerSection>
      {entity.credits !== null && (
        <DrawerSection title={t('left.title')}>
          <LeftList entity={entity} keys={keys} />
        </DrawerSection>
      )}
      <DrawerSection
        title={t('details')}
        actions={
          <Button asChild size="small" look="quiet">
            <Link to="/keys" search={{ package: entity.name, state: 'all' }}>
              {t('showKeys')}
            </Link>
          </Button>
        }
      >
        <Facts
          facts={[
            { name: t('column.type'), value: <PackageTypeName type={entity.type} /> },
            { name: t('column.zone'), value: entity.timezone },
            { name: t('column.keys'), value: countText(entity.keys, i18n.language) },
            { name: t('created'), value: <Time at={entity.created_at} /> },
          ]}
        />
        <CopyField label={t('id')} text={entity.id} />
      </DrawerSection>
    </Sheet>
  )
}

export function PackageTypeName({ type }: { readonly type: string }) {
  const { t } = useTranslation('packages')
  const known = PACKAGE_TYPES.find((one) => one === type)
  return known === undefined ? type : t(`type.${known}`)
}

/** Until when a package is good, and that it no longer is. */
export function PackageEnd({ entity }: { readonly entity: PackageView }) {
  const { t } = useTranslation('packages')
  const nowMs = useNow()
  const endMs = msOf(entity.valid_until)
  if (endMs !== undefined && endMs <= nowMs) {
    return (
      <span className="inline-flex items-center gap-2">
        <Status tone="lost">{t('ended')}</Status>
        <Time at={lastInstant(entity)} />
      </span>
    )
  }
  return <Time at={lastInstant(entity)} none={t('noEnd')} />
}
