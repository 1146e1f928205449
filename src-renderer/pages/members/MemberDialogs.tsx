// What can be done with a member, each in a dialog of its own that says what will happen.

import { Link } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MemberView } from '#contract/members.ts'
import type { PackageView } from '#contract/schemas.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Confirm } from '#renderer/components/confirm.tsx'
import { Dialog } from '#renderer/components/dialog.tsx'
import { isInvitable } from '#renderer/data/member-form.ts'
import { EditMember } from '#renderer/pages/members/EditMember.tsx'
import { InviteMember } from '#renderer/pages/members/InviteMember.tsx'
import { SetPassword } from '#renderer/pages/members/SetPassword.tsx'

export type MemberAction = 'invite' | 'edit' | 'password' | 'suspend' | 'resume' | 'remove'
export type MemberTask = { readonly action: MemberAction; readonly member: MemberView }

export function memberActions(member: MemberView): readonly MemberAction[] {
  return [
    ...(isInvitable(member) ? (['invite'] as const) : []),
    'edit',
    'password',
    member.status === 'active' ? 'suspend' : 'resume',
    'remove',
  ]
}

/** `start` opens the dialog of a task, or does at once what needs none. */
export function useMemberTasks() {
  const { t } = useTranslation('members')
  const [task, setTask] = useState<MemberTask>()
  const { mutate: edit } = useAction('editMember', { done: (member) => t('done.resume', { name: member.name }) })
  const start = useCallback(
    (next: MemberTask) =>
      next.action === 'resume' ? edit({ id: next.member.id, body: { status: 'active' } }) : setTask(next),
    [edit],
  )
  const close = useCallback(() => setTask(undefined), [])
  return { task, start, close }
}

type MemberDialogsProps = {
  readonly task: MemberTask | undefined
  readonly packages: readonly PackageView[]
  readonly onClose: () => void
}

export function MemberDialogs({ task, packages, onClose }: MemberDialogsProps) {
  if (task === undefined) return null
  const { action, member } = task
  switch (action) {
    case 'invite':
      return <InviteMember member={member} packages={packages} onClose={onClose} />
    case 'edit':
      return <EditMember member={member} packages={packages} onClose={onClose} />
    case 'password':
      return <SetPassword member={member} onClose={onClose} />
    case 'suspend':
      return <SuspendMember member={member} onClose={onClose} />
    case 'remove':
      return member.keys > 0 ? (
        <HasKeys member={member} onClose={onClose} />
      ) : (
        <RemoveMember member={member} onClose={onClose} />
      )
    case 'resume':
      return null
  }
}

type MemberTaskProps = { readonly member: MemberView; readonly onClose: () => void }

function SuspendMember({ member: { id, name, keys }, onClose }: MemberTaskProps) {
  const { t } = useTranslation('members')
  const suspend = useAction('editMember', {
    done: t('done.suspend', { name }),
    onDone: onClose,
    showsOwnErrors: true,
  })
  return (
    <Confirm
      isOpen
      onOpenChange={onClose}
      title={t('suspend.title', { name })}
      description={`${t('suspend.text')} ${keys === 0 ? '' : t('suspend.keys', { count: keys })}`}
      action={t('action.suspend')}
      isBusy={suspend.isPending}
      problem={suspend.error?.message}
      onConfirm={() => suspend.mutate({ id, body: { status: 'suspended' } })}
    />
  )
}

function RemoveMember({ member: { id, name }, onClose }: MemberTaskProps) {
  const { t } = useTranslation('members')
  const remove = useAction('removeMember', { done: t('done.remove', { name }), onDone: onClose, showsOwnErrors: true })
  return (
    <Confirm
      isOpen
      onOpenChange={onClose}
      title={t('remove.title', { name })}
      description={t('remove.text')}
      action={t('action.remove')}
      typed={name}
      isBusy={remove.isPending}
      problem={remove.error?.message}
      onConfirm={() => remove.mutate({ id })}
    />
  )
}

/** The server would refuse, so this says why and what helps instead of asking. */
function HasKeys({ member: { name, keys }, onClose }: MemberTaskProps) {
  const { t } = useTranslation('members')
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('remove.refused', { name })}
      description={t('remove.why', { count: keys })}
      footer={
        <Button asChild>
          <Link to="/keys" search={{ owner: name }}>
            {t('showKeys')}
          </Link>
        </Button>
      }
    >
      <p className="text-sm">{t('remove.instead')}</p>
    </Dialog>
  )
}
