import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { CopyField } from '#renderer/components/copy.tsx'
import { Dialog } from '#renderer/components/dialog.tsx'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'
import { Switch } from '#renderer/components/switch.tsx'

const FIELDS = ['name', 'url']

/** Asks where it is, and then shows the secret, once. */
export function AddWebhook({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('settings')
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  const [isLocal, setIsLocal] = useState(false)
  const add = useAction('addWebhook', { invalidates: ['listWebhooks'], showsOwnErrors: true })
  if (add.data !== undefined) return <SecretShown secret={add.data.secret} onClose={onClose} />
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('webhooks.add')}
      description={t('webhooks.addText')}
      action={t('receivers.addNow')}
      isBusy={add.isPending}
      isDisabled={name === '' || url === ''}
      problem={errorBeside(add.error, FIELDS)}
      onSubmit={() => add.mutate({ body: { name, url, network: isLocal ? 'local' : 'public' } })}
    >
      <Field label={t('receivers.name')} error={errorAt(add.error, 'name')}>
        {(control) => (
          <Input {...control} value={name} maxLength={100} onChange={({ target }) => setName(target.value)} />
        )}
      </Field>
      <Field label={t('webhooks.url')} error={errorAt(add.error, 'url')}>
        {(control) => (
          <Input
            {...control}
            type="url"
            value={url}
            maxLength={2048}
            placeholder="https://"
            className="font-mono text-xs"
            onChange={({ target }) => setUrl(target.value)}
          />
        )}
      </Field>
      <Field label={t('webhooks.local')} hint={t('webhooks.localHint')} layout="row">
        {(control) => <Switch {...control} checked={isLocal} onCheckedChange={setIsLocal} />}
      </Field>
    </FormDialog>
  )
}

function SecretShown({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const { t } = useTranslation('settings')
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('webhooks.made')}
      description={t('webhooks.secretText')}
      footer={
        <Button look="primary" onClick={onClose}>
          {t('webhooks.kept')}
        </Button>
      }
    >
      <CopyField label={t('webhooks.secret')} text={secret} />
    </Dialog>
  )
}
