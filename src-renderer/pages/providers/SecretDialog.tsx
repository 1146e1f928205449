import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ProviderView } from '#contract/providers.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { ALL_KINDS } from '#renderer/data/secret-kinds.ts'
import { SecretField } from '#renderer/pages/providers/SecretField.tsx'

type SecretDialogProps = { readonly provider: ProviderView; readonly onClose: () => void }

export function SecretDialog({ provider, onClose }: SecretDialogProps) {
  const { t } = useTranslation('providers')
  const [secret, setSecret] = useState('')
  const replace = useAction('setProviderSecret', {
    done: t('secret.done', { name: provider.name }),
    onDone: onClose,
    showsOwnErrors: true,
  })
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('secret.of', { name: provider.name })}
      description={t(provider.has_secret ? 'secret.replaceText' : 'secret.giveText')}
      action={t(provider.has_secret ? 'secret.replace' : 'secret.give')}
      isBusy={replace.isPending}
      isDisabled={secret.trim() === ''}
      problem={errorBeside(replace.error, ['secret'])}
      onSubmit={() => replace.mutate({ id: provider.id, body: { secret: secret.trim() } })}
    >
      <SecretField kinds={ALL_KINDS} secret={secret} onChange={setSecret} error={errorAt(replace.error, 'secret')} />
    </FormDialog>
  )
}
