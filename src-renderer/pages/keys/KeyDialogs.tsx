// What can be done with a key, each in a dialog of its own that says what will happen.

import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '#contract/schemas.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Confirm } from '#renderer/components/confirm.tsx'
import type { KeyAction } from '#renderer/data/key-list.ts'
import { ChangeCredits } from '#renderer/pages/keys/ChangeCredits.tsx'
import { ExtendKey } from '#renderer/pages/keys/ExtendKey.tsx'
import { LabelKey } from '#renderer/pages/keys/LabelKey.tsx'
import { MoveKey } from '#renderer/pages/keys/MoveKey.tsx'
import { RotateKey } from '#renderer/pages/keys/RotateKey.tsx'

export type KeyTask = { readonly action: KeyAction; readonly key: KeyView }

/** `start` opens the dialog of a task, or does at once what needs none. */
export function useKeyTasks() {
  const { t } = useTranslation('keys')
  const [task, setTask] = useState<KeyTask>()
  const { mutate: resume } = useAction('resumeKey', {
    // The key of a suspended member, or one that has expired, stays blocked for another reason.
    done: (key) => t(key.status === 'active' ? 'done.resume' : 'done.stillBlocked', { name: key.name }),
  })
  const start = useCallback(
    (next: KeyTask) => (next.action === 'resume' ? resume({ id: next.key.id }) : setTask(next)),
    [resume],
  )
  const close = useCallback(() => setTask(undefined), [])
  return { task, start, close }
}

type KeyDialogsProps = {
  readonly task: KeyTask | undefined
  /** As they are by now, which the dialogs reckon with. */
  readonly keys: readonly KeyView[] | undefined
  readonly onClose: () => void
}

export function KeyDialogs({ task, keys, onClose }: KeyDialogsProps) {
  if (task === undefined) return null
  const key = keys?.find(({ id }) => id === task.key.id) ?? task.key
  switch (task.action) {
    case 'extend':
      return <ExtendKey item={key} onClose={onClose} />
    case 'top-up':
    case 'adjust':
      return <ChangeCredits item={key} kind={task.action} onClose={onClose} />
    case 'move':
      return <MoveKey item={key} onClose={onClose} />
    case 'label':
      return <LabelKey item={key} onClose={onClose} />
    case 'rotate':
      return <RotateKey item={key} onClose={onClose} />
    case 'suspend':
      return <SuspendKey item={key} onClose={onClose} />
    case 'revoke':
      return <RevokeKey item={key} onClose={onClose} />
    case 'resume':
      return null
  }
}

type KeyTaskProps = { readonly item: KeyView; readonly onClose: () => void }

function SuspendKey({ item, onClose }: KeyTaskProps) {
  const { t } = useTranslation('keys')
  const { name, id } = item
  const suspend = useAction('suspendKey', { done: t('done.suspend', { name }), onDone: onClose, showsOwnErrors: true })
  return (
    <Confirm
      isOpen
      onOpenChange={onClose}
      title={t('suspend.title', { name })}
      description={t('suspend.text')}
      action={t('action.suspend')}
      isBusy={suspend.isPending}
      problem={suspend.error?.message}
      onConfirm={() => suspend.mutate({ id })}
    />
  )
}

function RevokeKey({ item, onClose }: KeyTaskProps) {
  const { t } = useTranslation('keys')
  const { name, id } = item
  const revoke = useAction('revokeKey', { done: t('done.revoke', { name }), onDone: onClose, showsOwnErrors: true })
  return (
    <Confirm
      isOpen
      onOpenChange={onClose}
      title={t('revoke.title', { name })}
      description={t('revoke.text')}
      action={t('action.revoke')}
      typed={name}
      isBusy={revoke.isPending}
      problem={revoke.error?.message}
      onConfirm={() => revoke.mutate({ id })}
    />
  )
}
