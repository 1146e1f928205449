import { useTranslation } from 'react-i18next'
import type { SecretsMoved } from '#contract/providers.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Dialog } from '#renderer/components/dialog.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'

/** Brings secrets from the store that was used before into the one that is used now. */
export function MoveSecrets({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('providers')
  const move = useAction('moveSecrets', { showsOwnErrors: true })
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('move.title')}
      description={t('move.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:close')}</Button>
          {move.data === undefined && (
            <Button look="primary" isBusy={move.isPending} onClick={() => move.mutate({})}>
              {t('move.action')}
            </Button>
          )}
        </>
      }
    >
      <div role="status">{move.data !== undefined && <Moved result={move.data} />}</div>
      <Problem text={move.error?.message} />
    </Dialog>
  )
}

function Moved({ result: { moved, missing } }: { readonly result: SecretsMoved }) {
  const { t, i18n } = useTranslation('providers')
  const list = (names: readonly string[]) => new Intl.ListFormat(i18n.language).format(names)
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p>{moved.length === 0 ? t('move.nothing') : t('move.moved', { list: list(moved) })}</p>
      {missing.length > 0 && <p className="text-red">{t('move.missing', { list: list(missing) })}</p>}
    </div>
  )
}
