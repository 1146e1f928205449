import { Link } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { Ellipsis } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { MemberView } from '#contract/members.ts'
import type { Totals } from '#contract/reports.ts'
import type { PackageView } from '#contract/schemas.ts'
import { IconButton } from '#renderer/components/button.tsx'
import type { Column } from '#renderer/components/data-table.tsx'
import { Menu, MenuItem } from '#renderer/components/menu.tsx'
import { Time } from '#renderer/components/time.tsx'
import { Money } from '#renderer/components/money.tsx'
import { Tokens } from '#renderer/components/tokens.tsx'
import { tokensOf, type MemberUsage } from '#renderer/data/member-usage.ts'
import { countText } from '#renderer/data/numbers.ts'
import { msOf } from '#renderer/data/times.ts'
import { memberActions, type MemberTask } from '#renderer/pages/members/MemberDialogs.tsx'
import { MemberState, OpenPackages } from '#renderer/pages/members/MemberState.tsx'

type OnMemberAction = (task: MemberTask) => void

export function useMemberColumns(
  packages: readonly PackageView[] | undefined,
  usage: MemberUsage | undefined,
  onAction: OnMemberAction,
): readonly Column<MemberView>[] {
  const { t, i18n } = useTranslation('members')
  const locale = i18n.language
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
      className: 'max-lg:hidden',
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
      className: 'max-lg:hidden',
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
      className: 'max-lg:hidden whitespace-nowrap',
    }
    const actions: Column<MemberView> = {
      id: 'actions',
      header: <span className="sr-only">{t('column.actions')}</span>,
      cell: (member) => <MemberMenu member={member} onAction={onAction} />,
      align: 'right',
      className: 'w-10 max-sm:hidden',
    }
    return [name, role, state, open, keys, ...monthColumns(t, usage, locale), seen, actions]
  }, [t, packages, usage, locale, onAction])
}

/** What the member's keys did since the first of the month. */
function monthColumns(
  t: TFunction<'members'>,
  usage: MemberUsage | undefined,
  locale: string,
): readonly Column<MemberView>[] {
  const totals = (member: MemberView) => usage?.of(member.id)
  return [
    {
      id: 'requests',
      header: t('column.requests'),
      cell: (member) => <Counted count={totals(member)?.requests} locale={locale} />,
      sortBy: (member) => totals(member)?.requests,
      align: 'right',
      className: 'max-[1279px]:hidden',
    },
    {
      id: 'tokens',
      header: t('column.tokens'),
      cell: (member) => <TokensOf totals={totals(member)} />,
      sortBy: (member) => tokensSorted(totals(member)),
      align: 'right',
      className: 'max-[1279px]:hidden',
    },
    {
      id: 'charge',
      header: t('column.charge'),
      cell: (member) => <Money credits={totals(member)?.charge_credits} />,
      sortBy: (member) => totals(member)?.charge_credits,
      align: 'right',
      // As wide before the amounts are there as after, so that no column moves when they come.
      className: 'min-w-28 max-sm:hidden whitespace-nowrap',
    },
  ]
}

function TokensOf({ totals }: { readonly totals: Totals | undefined }) {
  return <Tokens count={totals && tokensOf(totals)} />
}

function tokensSorted(totals: Totals | undefined): number | undefined {
  return totals && tokensOf(totals)
}

function Counted({ count, locale }: { readonly count: number | undefined; readonly locale: string }) {
  return count === undefined ? <span className="text-muted">–</span> : countText(count, locale)
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

function MemberMenu({ member, onAction }: { readonly member: MemberView; readonly onAction: OnMemberAction }) {
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
