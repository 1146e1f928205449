import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { ModelView } from '#contract/schemas.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Confirm } from '#renderer/components/confirm.tsx'
import { Dialog } from '#renderer/components/dialog.tsx'
import type { ProviderRow } from '#renderer/data/provider-list.ts'
import { modelsOnlyAt } from '#renderer/data/target-health.ts'

type RemoveProviderProps = {
  readonly row: ProviderRow
  readonly onClose: () => void
  readonly onGone: () => void
}

export function RemoveProvider({ row: { provider, models = [] }, onClose, onGone }: RemoveProviderProps) {
  const { t } = useTranslation('providers')
  const { id, name } = provider
  const remove = useAction('removeProvider', {
    done: (answer) => t(answer.secret_forgotten ? 'remove.done' : 'remove.doneLater', { name }),
    onDone: () => {
      onClose()
      onGone()
    },
    showsOwnErrors: true,
  })
  if (models.length > 0) return <HasModels name={name} models={models} onClose={onClose} />
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

type HasModelsProps = {
  readonly name: string
  readonly models: readonly ModelView[]
  readonly onClose: () => void
}

/** The server would refuse, so this says which models stand in the way and what helps. */
function HasModels({ name, models, onClose }: HasModelsProps) {
  const { t } = useTranslation('providers')
  const alone = modelsOnlyAt(name, models).map(({ id }) => id)
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('remove.refused', { name })}
      description={t('remove.why', { count: models.length })}
      footer={
        <Button asChild>
          <Link to="/models" search={{ provider: name }}>
            {t('remove.showModels')}
          </Link>
        </Button>
      }
    >
      <ul className="flex flex-col gap-1 text-sm">
        {models.map(({ id }) => {
          const isAlone = alone.includes(id)
          return (
            <li key={id} className="flex flex-wrap items-baseline gap-x-2">
              <span className="font-medium break-all">{id}</span>
              <span className="text-xs text-muted">{t(isAlone ? 'remove.alone' : 'remove.others')}</span>
            </li>
          )
        })}
      </ul>
      <p className="mt-3 text-sm text-muted">{t('remove.instead')}</p>
    </Dialog>
  )
}
