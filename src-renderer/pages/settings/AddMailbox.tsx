import { useState, type HTMLInputTypeAttribute, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'
import { Switch } from '#renderer/components/switch.tsx'
import { isWrongAddress, mailboxBody, mayBePlain, NO_MAILBOX, type MailboxWish } from '#renderer/data/mailbox-form.ts'

const FIELDS = ['name', 'url', 'from', 'to', 'user', 'password', 'plain']

/** Given a place in the page only while it is open, so that nothing typed stays. */
export function AddMailbox({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('settings')
  const [wish, setWish] = useState(NO_MAILBOX)
  const change = (part: Partial<MailboxWish>) => setWish((before) => ({ ...before, ...part }))
  const body = mailboxBody(wish)
  const add = useAction('addMailbox', {
    done: t('mailboxes.added', { name: wish.name }),
    onDone: onClose,
    invalidates: ['listMailboxes'],
    showsOwnErrors: true,
  })
  const field = { wish, onChange: change, error: add.error }
  const half = (wish.user.trim() === '') !== (wish.password === '') ? t('mailboxes.both') : undefined
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('mailboxes.add')}
      description={t('mailboxes.addText')}
      action={t('receivers.addNow')}
      isBusy={add.isPending}
      isDisabled={body === undefined}
      problem={errorBeside(add.error, FIELDS)}
      onSubmit={() => body !== undefined && add.mutate({ body })}
    >
      <TextField {...field} name="name" maxLength={100} label={t('receivers.name')} />
      <TextField
        {...field}
        name="url"
        maxLength={2048}
        label={t('mailboxes.server')}
        hint={t('mailboxes.serverHint')}
        placeholder="smtps://mail.example.com"
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField {...field} name="from" type="email" maxLength={254} label={t('mailboxes.from')} />
        <TextField {...field} name="to" type="email" maxLength={254} label={t('mailboxes.to')} />
        <TextField {...field} name="user" maxLength={320} label={t('mailboxes.user')} />
        <TextField
          {...field}
          name="password"
          type="password"
          maxLength={1000}
          label={t('mailboxes.password')}
          wrong={half}
        />
      </div>
      <p className="-mt-2 text-xs text-muted">{t('mailboxes.loginHint')}</p>
      <Field label={t('mailboxes.local')} hint={t('mailboxes.localHint')} layout="row">
        {(control) => <Switch {...control} checked={wish.isLocal} onCheckedChange={(isLocal) => change({ isLocal })} />}
      </Field>
      {mayBePlain(wish) && (
        <Field
          label={t('mailboxes.plain')}
          hint={t('mailboxes.plainHint')}
          error={errorAt(add.error, 'plain')}
          layout="row"
        >
          {(control) => (
            <Switch {...control} checked={wish.isPlain} onCheckedChange={(isPlain) => change({ isPlain })} />
          )}
        </Field>
      )}
    </FormDialog>
  )
}

type TextFieldProps = {
  readonly name: 'name' | 'url' | 'from' | 'to' | 'user' | 'password'
  readonly label: string
  readonly hint?: ReactNode
  readonly maxLength: number
  readonly type?: HTMLInputTypeAttribute
  readonly placeholder?: string
  /** What is wrong with it before anybody asked the gateway. */
  readonly wrong?: string | undefined
  readonly wish: MailboxWish
  readonly onChange: (part: Partial<MailboxWish>) => void
  readonly error: Error | null
}

function TextField({ name, label, hint, wrong, wish, onChange, error, type = 'text', ...rest }: TextFieldProps) {
  const { t } = useTranslation('settings')
  const noAddress = type === 'email' && isWrongAddress(wish[name]) ? t('mailboxes.noAddress') : undefined
  return (
    <Field label={label} error={noAddress ?? wrong ?? errorAt(error, name)} {...(hint === undefined ? {} : { hint })}>
      {(control) => (
        <Input
          {...control}
          {...rest}
          type={type}
          // Browsers offer to keep what looks like a password of this page, which it is not.
          autoComplete={type === 'password' ? 'new-password' : 'off'}
          value={wish[name]}
          onChange={({ target }) => onChange({ [name]: target.value })}
        />
      )}
    </Field>
  )
}
