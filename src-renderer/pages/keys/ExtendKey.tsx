import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '#contract/schemas.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { packageOf } from '#renderer/data/key-list.ts'
import { ExpiryField, FIRST_EXPIRY } from '#renderer/pages/keys/ExpiryField.tsx'

export function ExtendKey({ item, onClose }: { readonly item: KeyView; readonly onClose: () => void }) {
  const { t } = useTranslation('keys')
  const { name, id } = item
  const [expiry, setExpiry] = useState(FIRST_EXPIRY)
  const packages = useApi('listPackages', {})
  const extend = useAction('extendKey', {
    done: t('done.extend', { name }),
    onDone: onClose,
    showsOwnErrors: true,
  })
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('extend.title', { name })}
      description={t(item.status === 'expired' ? 'extend.textExpired' : 'extend.text')}
      action={t('action.extend')}
      isBusy={extend.isPending}
      isDisabled={expiry.value === ''}
      problem={errorBeside(extend.error, ['expires'])}
      onSubmit={() => extend.mutate({ id, body: { expires: expiry.value } })}
    >
      <ExpiryField
        expiry={expiry}
        onChange={setExpiry}
        isShort={false}
        zone={packageOf(item, packages.data)?.timezone}
        error={errorAt(extend.error, 'expires')}
      />
    </FormDialog>
  )
}
