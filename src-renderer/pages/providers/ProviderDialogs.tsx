import type { ProviderRow } from '#renderer/data/provider-list.ts'
import { AddProvider } from '#renderer/pages/providers/AddProvider.tsx'
import { DiscoverDialog } from '#renderer/pages/providers/DiscoverDialog.tsx'
import { EditProvider } from '#renderer/pages/providers/EditProvider.tsx'
import { MoveSecrets } from '#renderer/pages/providers/MoveSecrets.tsx'
import { OffersDialog } from '#renderer/pages/providers/OffersDialog.tsx'
import { RemoveProvider } from '#renderer/pages/providers/RemoveProvider.tsx'
import { SecretDialog } from '#renderer/pages/providers/SecretDialog.tsx'

/** What somebody is about to do, with the id of the provider. */
export type ProviderTask =
  | { readonly action: 'add' | 'discover' | 'move' }
  | { readonly action: 'edit' | 'secret' | 'models' | 'remove'; readonly id: string }

type ProviderDialogsProps = {
  readonly task: ProviderTask | undefined
  readonly rows: readonly ProviderRow[]
  readonly onClose: () => void
  /** Shows a provider in the drawer, or none. */
  readonly onOpen: (id: string | undefined) => void
  readonly onTask: (task: ProviderTask) => void
}

export function ProviderDialogs({ task, rows, ...rest }: ProviderDialogsProps) {
  if (task === undefined) return null
  if ('id' in task) return <OneProvider {...rest} task={task} rows={rows} />
  const { onClose, onOpen } = rest
  if (task.action === 'add') {
    return <AddProvider taken={rows.map(({ provider }) => provider.name)} onClose={onClose} onAdded={onOpen} />
  }
  if (task.action === 'discover') return <DiscoverDialog onClose={onClose} />
  return <MoveSecrets onClose={onClose} />
}

type OneProviderProps = Omit<ProviderDialogsProps, 'task'> & { readonly task: Extract<ProviderTask, { id: string }> }

function OneProvider({ task, rows, onClose, onOpen, onTask }: OneProviderProps) {
  const row = rows.find(({ provider }) => provider.id === task.id)
  if (row === undefined) return null
  const { provider } = row
  switch (task.action) {
    case 'edit':
      return (
        <EditProvider
          provider={provider}
          onClose={onClose}
          onMoved={() => onTask({ action: 'secret', id: provider.id })}
        />
      )
    case 'secret':
      return <SecretDialog provider={provider} onClose={onClose} />
    case 'models':
      return <OffersDialog provider={provider} onClose={onClose} />
    case 'remove':
      return <RemoveProvider row={row} onClose={onClose} onGone={() => onOpen(undefined)} />
  }
}
