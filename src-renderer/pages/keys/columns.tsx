import type { TFunction } from 'i18next'
import { Ellipsis } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '#contract/schemas.ts'
import { IconButton } from '#renderer/components/button.tsx'
import type { Column } from '#renderer/components/data-table.tsx'
import { Menu, MenuItem } from '#renderer/components/menu.tsx'
import { Time } from '#renderer/components/time.tsx'
import { actionsFor } from '#renderer/data/key-list.ts'
import { microOf } from '#renderer/data/money.ts'
import { countText } from '#renderer/data/numbers.ts'
import { msOf } from '#renderer/data/times.ts'
import type { KeyTask } from '#renderer/pages/keys/KeyDialogs.tsx'
import { KeyBalance, KeyState } from '#renderer/pages/keys/KeyState.tsx'

type OnKeyAction = (task: KeyTask) => void

type KeyColumnsOptions = {
  readonly role: 'administrator' | 'member'
  /** Whether balances are too long to stand beside their bars. */
  readonly isLong: boolean
  readonly onAction: OnKeyAction
}

export function useKeyColumns({ role, isLong, onAction }: KeyColumnsOptions): readonly Column<KeyView>[] {
  const { t, i18n } = useTranslation('keys')
  return useMemo(() => {
    const owner: Column<KeyView> = {
      id: 'owner',
      header: t('column.owner'),
      cell: (key) =>
        key.owner === null ? <span className="text-muted">{t('noOwner')}</span> : <Cut text={key.owner} />,
      sortBy: (key) => key.owner ?? undefined,
      className: 'max-lg:hidden whitespace-nowrap',
    }
    const name: Column<KeyView> = {
      id: 'name',
      header: t('column.name'),
      cell: (key) => <KeyName item={key} />,
      sortBy: (key) => key.name,
      // What the other columns leave; long names are cut before those are.
      className: 'sm:w-full sm:max-w-0 sm:min-w-36',
    }
    const entity: Column<KeyView> = {
      id: 'package',
      header: t('column.package'),
      cell: (key) => <Cut text={key.package} />,
      sortBy: (key) => key.package,
      className: 'max-lg:hidden',
    }
    const actions: Column<KeyView> = {
      id: 'actions',
      header: <span className="sr-only">{t('column.actions')}</span>,
      cell: (key) => <KeyMenu item={key} role={role} onAction={onAction} />,
      align: 'right',
      className: 'w-10 max-sm:hidden',
    }
    const first = role === 'administrator' ? [name, owner, entity] : [name, entity]
    return [...first, ...restOf(t, i18n.language, isLong), actions]
  }, [t, i18n.language, role, isLong, onAction])
}

/** What a key has, when it was used, and whether it can be. */
function restOf(t: TFunction<'keys'>, locale: string, isLong: boolean): Column<KeyView>[] {
  return [
    {
      id: 'balance',
      header: t('column.balance'),
      cell: (key) => <KeyBalance item={key} isLong={isLong} />,
      sortBy: (key) => (key.balance.remaining_credits === null ? undefined : microOf(key.balance.remaining_credits)),
    },
    {
      id: 'requests',
      header: t('column.requests'),
      cell: (key) => countText(key.balance.total_requests, locale),
      sortBy: (key) => key.balance.total_requests,
      align: 'right',
      className: 'max-[1439px]:hidden',
    },
    {
      id: 'used',
      header: t('column.used'),
      cell: (key) => <Time at={key.balance.last_used_at} none={t('never')} />,
      sortBy: (key) => msOf(key.balance.last_used_at),
      className: isLong ? 'max-[1439px]:hidden whitespace-nowrap' : 'max-[1279px]:hidden whitespace-nowrap',
    },
    {
      id: 'expires',
      header: t('column.expires'),
      cell: (key) => <Time at={key.expires_at} none={t('never')} />,
      sortBy: (key) => msOf(key.expires_at),
      className: isLong ? 'max-[1279px]:hidden whitespace-nowrap' : 'max-lg:hidden whitespace-nowrap',
    },
    {
      id: 'state',
      header: t('column.state'),
      cell: (key) => <KeyState status={key.status} />,
      sortBy: (key) => key.status,
    },
  ]
}

/** A name in one line, however long it is. */
function Cut({ text }: { readonly text: string }) {
  return (
    <span className="block max-w-24 truncate min-[1440px]:max-w-32" title={text}>
      {text}
    </span>
  )
}

function KeyName({ item }: { readonly item: KeyView }) {
  return (
    <span className="flex min-w-0 items-baseline gap-x-2" title={`${item.name} …${item.hint}`}>
      <span className="font-medium max-sm:break-words sm:truncate">{item.name}</span>
      <code className="font-mono text-xs whitespace-nowrap text-muted max-[1439px]:hidden">…{item.hint}</code>
    </span>
  )
}

type KeyMenuProps = {
  readonly item: KeyView
  readonly role: 'administrator' | 'member'
  readonly onAction: OnKeyAction
}

function KeyMenu({ item, role, onAction }: KeyMenuProps) {
  const { t } = useTranslation('keys')
  const actions = actionsFor(item, role)
  if (actions.length === 0) return null
  return (
    <Menu
      trigger={
        <IconButton label={t('actionsOf', { name: item.name })} size="small-icon">
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      {actions.map((action) => (
        <MenuItem key={action} isDanger={action === 'revoke'} onSelect={() => onAction({ action, key: item })}>
          {t(`action.${action}`)}
        </MenuItem>
      ))}
    </Menu>
  )
}
