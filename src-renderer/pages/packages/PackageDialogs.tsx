import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { PackageView } from '#contract/schemas.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Confirm } from '#renderer/components/confirm.tsx'
import { Dialog } from '#renderer/components/dialog.tsx'
import { EditPackage } from '#renderer/pages/packages/EditPackage.tsx'

export type PackageTask = { readonly action: 'edit' | 'remove'; readonly entity: PackageView }

type PackageDialogsProps = { readonly task: PackageTask | undefined; readonly onClose: () => void }

export function PackageDialogs({ task, onClose }: PackageDialogsProps) {
  if (task === undefined) return null
  const { action, entity } = task
  if (action === 'edit') return <EditPackage entity={entity} onClose={onClose} />
  if (entity.keys > 0) return <HasKeys entity={entity} onClose={onClose} />
  return <RemovePackage entity={entity} onClose={onClose} />
}

type RemoveProps = { readonly entity: PackageView; readonly onClose: () => void }

function RemovePackage({ entity: { id, name }, onClose }: RemoveProps) {
  const { t } = useTranslation('packages')
  const remove = useAction('removePackage', {
    done: t('remove.done', { name }),
    onDone: onClose,
    showsOwnErrors: true,
  })
  return (
    <Confirm
      isOpen
      onOpenChange={onClose}
      title={t('remove.title', { name })}
      description={t('remove.text')}
      action={t('remove.action')}
      isBusy={remove.isPending}
      problem={remove.error?.message}
      onConfirm={() => remove.mutate({ id })}
    />
  )
}

/** The server would refuse, so this says why and what helps instead of asking. */
function HasKeys({ entity: { name, keys }, onClose }: RemoveProps) {
  const { t } = useTranslation('packages')
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('remove.refused', { name })}
      description={t('remove.why', { count: keys })}
      footer={
        <Button asChild>
          <Link to="/keys" search={{ package: name, state: 'all' }}>
            {t('showKeys')}
          </Link>
        </Button>
      }
    >
      <p className="text-sm">{t('remove.instead')}</p>
    </Dialog>
  )
}
