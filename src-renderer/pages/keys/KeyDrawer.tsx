import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '#contract/schemas.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { CopyField } from '#renderer/components/copy.tsx'
import { Sheet } from '#renderer/components/dialog.tsx'
import { DrawerSection } from '#renderer/components/facts.tsx'
import { ErrorState, Loading, StaleMark } from '#renderer/components/states.tsx'
import { actionsFor, packageOf } from '#renderer/data/key-list.ts'
import { keyReference } from '#renderer/data/ledger-list.ts'
import type { KeyTask } from '#renderer/pages/keys/KeyDialogs.tsx'
import { BalanceFacts, KeyFacts } from '#renderer/pages/keys/KeyFacts.tsx'
import { KeyState } from '#renderer/pages/keys/KeyState.tsx'
import { PackageFacts } from '#renderer/components/package-facts.tsx'
import { RecentRequests } from '#renderer/pages/keys/RecentRequests.tsx'

const EVERY_MS = 5000

type KeyDrawerProps = {
  readonly id: string
  readonly role: 'administrator' | 'member'
  readonly onClose: () => void
  readonly onAction: (task: KeyTask) => void
}

/** Everything about one key. */
export function KeyDrawer({ id, role, onClose, onAction }: KeyDrawerProps) {
  const { t } = useTranslation('keys')
  const { data: key, isError, error, refetch, dataUpdatedAt } = useApi('showKey', { id }, { everyMs: EVERY_MS })
  return (
    <Sheet isOpen onOpenChange={onClose} title={key?.name ?? t('drawer')}>
      {key !== undefined && (
        <>
          {isError && <StaleMark atMs={dataUpdatedAt} className="mb-3" />}
          <KeyHead item={key} role={role} onAction={onAction} />
          <BalanceSection item={key} />
          <PackageSection item={key} />
          <DetailsSection item={key} />
          <RecentRequests item={key} />
        </>
      )}
      {key === undefined && isError && (
        <ErrorState title={t('failedOne')} onRetry={() => void refetch()}>
          {error.message}
        </ErrorState>
      )}
      {key === undefined && !isError && <Loading lines={9} />}
    </Sheet>
  )
}

type KeyHeadProps = Pick<KeyDrawerProps, 'role' | 'onAction'> & { readonly item: KeyView }

function KeyHead({ item, role, onAction }: KeyHeadProps) {
  const { t } = useTranslation('keys')
  return (
    <div className="flex flex-col gap-3 pb-4">
      <p className="flex flex-wrap items-center gap-2">
        <KeyState status={item.status} />
        <code className="font-mono text-xs text-muted">…{item.hint}</code>
      </p>
      <div className="flex flex-wrap gap-2">
        {actionsFor(item, role).map((action) => (
          <Button
            key={action}
            size="small"
            look={action === 'revoke' ? 'danger' : 'plain'}
            onClick={() => onAction({ action, key: item })}
          >
            {t(`action.${action}`)}
          </Button>
        ))}
      </div>
    </div>
  )
}

function BalanceSection({ item }: { readonly item: KeyView }) {
  const { t } = useTranslation('keys')
  return (
    <DrawerSection
      title={t('balance.title')}
      actions={
        <Button asChild size="small" look="quiet">
          <Link to="/ledger" search={{ key: keyReference(item) }}>
            {t('balance.ledger')}
          </Link>
        </Button>
      }
    >
      <BalanceFacts item={item} />
    </DrawerSection>
  )
}

function PackageSection({ item }: { readonly item: KeyView }) {
  const { t } = useTranslation('keys')
  const packages = useApi('listPackages', {})
  const found = packageOf(item, packages.data)
  return (
    <DrawerSection
      title={t('packageTitle', { name: item.package })}
      actions={
        found && (
          <Button asChild size="small" look="quiet">
            <Link to="/packages" search={{ open: found.id }}>
              {t('packageOpen')}
            </Link>
          </Button>
        )
      }
    >
      {found !== undefined && <PackageFacts item={found} />}
      {found === undefined && packages.isPending && <Loading lines={6} />}
      {found === undefined && !packages.isPending && (
        <p className="text-sm text-muted">{packages.error?.message ?? t('packageHidden')}</p>
      )}
    </DrawerSection>
  )
}

function DetailsSection({ item }: { readonly item: KeyView }) {
  const { t } = useTranslation('keys')
  return (
    <DrawerSection title={t('details')}>
      <KeyFacts item={item} />
      <CopyField label={t('id')} text={item.id} />
    </DrawerSection>
  )
}
