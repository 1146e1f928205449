import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { InviteCard } from '#contract/invites.ts'
import type { MemberView } from '#contract/members.ts'
import type { PackageView } from '#contract/schemas.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'
import { EMPTY_MEMBER, inviteBody, memberFormOf } from '#renderer/data/member-form.ts'
import { InviteMade } from '#renderer/pages/members/InviteMade.tsx'
import { PackagesField } from '#renderer/pages/members/MemberFields.tsx'

type InviteMemberProps = {
  /** Somebody who is a member already and has no password yet. */
  readonly member?: MemberView
  readonly packages: readonly PackageView[]
  readonly onClose: () => void
}

/** Asks whom to invite, then shows what they need, which nothing can show again. */
export function InviteMember(props: InviteMemberProps) {
  const [card, setCard] = useState<InviteCard>()
  if (card !== undefined) return <InviteMade card={card} onClose={props.onClose} />
  return <InviteForm {...props} onMade={setCard} />
}

type InviteFormProps = InviteMemberProps & { readonly onMade: (card: InviteCard) => void }

function InviteForm({ member, packages, onClose, onMade }: InviteFormProps) {
  const { t, i18n } = useTranslation('members')
  const [form, setForm] = useState(() =>
    member === undefined ? EMPTY_MEMBER : memberFormOf(member, packages, i18n.language),
  )
  const create = useAction('createInvite', {
    onDone: (card) => {
      // The answer holds the code, which nothing but the next panel may keep.
      create.reset()
      onMade(card)
    },
    showsOwnErrors: true,
  })
  const name = errorAt(create.error, 'name')
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={member === undefined ? t('invite.title') : t('invite.titleOf', { name: member.name })}
      description={t('invite.text')}
      action={t('invite.make')}
      isBusy={create.isPending}
      // Without an open package the link would lead to a page that has nothing to offer.
      isDisabled={form.name.trim() === '' || form.packages.length === 0}
      problem={errorBeside(create.error, ['packages', ...(member === undefined ? ['name'] : [])])}
      onSubmit={() => create.mutate({ body: inviteBody(form) })}
    >
      {member === undefined && (
        <Field label={t('column.name')} hint={t('nameHint')} error={name}>
          {(control) => (
            <Input
              {...control}
              maxLength={100}
              value={form.name}
              onChange={(event) => setForm({ ...form, name: event.target.value })}
            />
          )}
        </Field>
      )}
      <PackagesField
        chosen={form.packages}
        packages={packages}
        onChange={(chosen) => setForm({ ...form, packages: chosen })}
        error={errorAt(create.error, 'packages')}
      />
    </FormDialog>
  )
}
