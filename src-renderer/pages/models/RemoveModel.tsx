import { useTranslation } from 'react-i18next'
import type { ModelView } from '#contract/schemas.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Confirm } from '#renderer/components/confirm.tsx'
import { concernedBy } from '#renderer/data/model-list.ts'

type RemoveModelProps = { readonly model: ModelView; readonly onClose: () => void; readonly onGone: () => void }

export function RemoveModel({ model: { id }, onClose, onGone }: RemoveModelProps) {
  const { t } = useTranslation('models')
  const remove = useAction('removeModel', {
    done: t('remove.done', { name: id }),
    onDone: () => {
      onClose()
      onGone()
    },
    showsOwnErrors: true,
  })
  return (
    <Confirm
      isOpen
      onOpenChange={onClose}
      title={t('remove.title', { name: id })}
      description={<Losers id={id} />}
      action={t('remove.action')}
      isBusy={remove.isPending}
      problem={remove.error?.message}
      onConfirm={() => remove.mutate({ id })}
    />
  )
}

/** Who could not ask for the model any more. */
function Losers({ id }: { readonly id: string }) {
  const { t, i18n } = useTranslation('models')
  const packages = useApi('listPackages', {}).data
  if (packages === undefined) return t('remove.text')
  const { named, all, keys } = concernedBy(id, packages)
  const names = [...named, ...all].map(({ name }) => `"${name}"`)
  if (names.length === 0) return `${t('remove.nobody')} ${t('remove.text')}`
  const list = new Intl.ListFormat(i18n.language).format(names)
  return `${t('remove.keys', { count: keys })} ${t('remove.packages', { list })} ${t('remove.text')}`
}
