import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { MemberView } from '#contract/members.ts'
import type { PackageView } from '#contract/schemas.ts'
import { IconButton } from '#renderer/components/button.tsx'
import type { Column } from '#renderer/components/data-table.tsx'
import { Menu, MenuItem } from '#renderer/components/menu.tsx'
import { Time } from '#renderer/components/time.tsx'
import { countText } from '#renderer/data/numbers.ts'
import { msOf } from '#renderer/data/times.ts'
import { memberActions, type MemberTask } from '#renderer/pages/members/MemberDialogs.tsx'
import { MemberState, OpenPackages } from '#renderer/pages/members/MemberState.tsx'

type OnAction = (task: MemberTask) => void

export function useMemberColumns(
  packages: readonly PackageView[] | undefined,
  onAction: OnAction,
): readonly Column<MemberView>[] {
  const { t } = useTranslation('members')
  return useMemo(() => {
    const name: Column<MemberView> = {
      id: 'name',
      header: t('column.name'),
      cell: (member) => <span className="font-medium break-words">{member.name}</span>,
      sortBy: (member) => member.name,
    }
    const role: Column<MemberView> = {
      id: 'role',
      header: t('column.role'),
      cell: (member) => t(`role.${member.role}`),
      sortBy: (member) => member.role,
      className: 'max-sm:hidden',
    }
    const state: Column<MemberView> = {
      id: 'state',
      header: t('column.state'),
      cell: (member) => <MemberState member={member} />,
      sortBy: (member) => member.status,
    }
    const open: Column<MemberView> = {
      id: 'packages',
      header: t('column.packages'),
      cell: (member) => <OpenPackages member={member} packages={packages} />,
      className: 'max-md:hidden',
    }
    const keys: Column<MemberView> = {
      id: 'keys',
      header: t('column.keys'),
      cell: (member) => <KeyCount member={member} />,
      sortBy: (member) => member.keys,
      align: 'right',
    }
    const seen: Column<MemberView> = {
      id: 'seen',
      header: t('column.seen'),
      cell: (member) => <Time at={member.last_seen_at} none={t('never')} />,
      sortBy: (member) => msOf(member.last_seen_at),
      className: 'max-md:hidden whitespace-nowrap',
    }
    const actions: Column<MemberView> = {
      id: 'actions',
      header: <span className="sr-only">{t('column.actions')}</span>,
      cell: (member) => <MemberMenu member={member} onAction={onAction} />,
      align: 'right',
      className: 'w-10 max-sm:hidden',
    }
    return [name, role, state, open, keys, seen, actions]
  }, [t, packages, onAction])
}

function KeyCount({ member }: { readonly member: MemberView }) {
  const { t, i18n } = useTranslation('members')
  const text = countText(member.keys, i18n.language)
  if (member.keys === 0) return <span className="text-muted">{text}</span>
  return (
    <Link
      to="/keys"
      search={{ owner: member.name }}
      aria-label={t('keysOf', { count: member.keys, text, name: member.name })}
      className="text-accent underline-offset-2 hover:underline"
    >
      {text}
    </Link>
  )
}

function MemberMenu({ member, onAction }: { readonly member: MemberView; readonly onAction: OnAction }) {
  const { t } = useTranslation('members')
  return (
    <Menu
      trigger={
        <IconButton label={t('actionsOf', { name: member.name })} size="small-icon">
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      {memberActions(member).map((action) => (
        <MenuItem key={action} isDanger={action === 'remove'} onSelect={() => onAction({ action, member })}>
          {t(`action.${action}`)}
        </MenuItem>
      ))}
    </Menu>
  )
}
