import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Download, Mail, UserPlus, Users } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PackageView } from '#contract/schemas.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { useCommands } from '#renderer/app/commands.tsx'
import { After } from '#renderer/components/after.tsx'
import { Button } from '#renderer/components/button.tsx'
import { ListPage } from '#renderer/components/list-page.tsx'
import { EmptyState } from '#renderer/components/states.tsx'
import { AddMember } from '#renderer/pages/members/AddMember.tsx'
import { useMemberColumns } from '#renderer/pages/members/columns.tsx'
import { ExportUsage } from '#renderer/pages/members/ExportUsage.tsx'
import { InviteMember } from '#renderer/pages/members/InviteMember.tsx'
import { MemberDialogs, useMemberTasks } from '#renderer/pages/members/MemberDialogs.tsx'
import { MemberDrawer } from '#renderer/pages/members/MemberDrawer.tsx'
import { OpenInvites } from '#renderer/pages/members/OpenInvites.tsx'
import { ProjectsCard } from '#renderer/pages/members/ProjectsCard.tsx'
import { useMemberUsage } from '#renderer/pages/members/use-member-usage.ts'
import { UsedByNobody } from '#renderer/pages/members/UsedByNobody.tsx'

const route = getRouteApi('/shell/members')
const EVERY_MS = 15_000

export function MembersPage() {
  const { t } = useTranslation('members')
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/members' })
  const members = useApi('listMembers', {}, { everyMs: EVERY_MS })
  const { data: packages, isLoading: isPackagesOpen } = useApi('listPackages', {})
  const { usage, isLoading: isUsageOpen } = useMemberUsage()
  const invites = useApi('listInvites', {}, { everyMs: EVERY_MS })
  const [opening, setOpening] = useState<Opening>()
  const { task, start, close } = useMemberTasks()
  const columns = useMemberColumns(packages, usage, start)
  const opened = members.data?.find(({ id, name }) => id === search.open || name === search.open)
  const open = (id: string | undefined) => void navigate({ search: id === undefined ? {} : { open: id } })
  useCommands(useOpeners(setOpening))
  const buttons = <AddButtons onOpen={setOpening} />
  return (
    <ListPage
      title={t('title')}
      // Leaves room for the buttons beside it.
      description={<span className="block lg:max-w-[56ch]">{t('description')}</span>}
      failed={t('failed')}
      list={members}
      actions={
        <>
          <Button onClick={() => setOpening('export')}>
            <Download aria-hidden />
            {t('export.open')}
          </Button>
          {buttons}
        </>
      }
      columns={columns}
      items={isPackagesOpen ? undefined : members.data}
      idOf={(member) => member.id}
      openId={opened?.id}
      onOpen={(member) => open(member.id)}
      empty={
        <EmptyState icon={Users} title={t('none')} action={buttons}>
          {t('noneHint')}
        </EmptyState>
      }
    >
      <After isReady={!invites.isLoading && !isUsageOpen}>
        <OpenInvites invites={invites.data} />
        {usage !== undefined && <UsedByNobody nobody={usage.nobody} />}
        <ProjectsCard everyMs={EVERY_MS} />
      </After>
      {opened !== undefined && (
        <MemberDrawer
          member={opened}
          packages={packages}
          usage={usage}
          onClose={() => open(undefined)}
          onAction={start}
        />
      )}
      <MemberDialogs task={task} packages={packages ?? []} onClose={close} />
      <Opened opening={opening} packages={packages ?? []} onClose={() => setOpening(undefined)} />
    </ListPage>
  )
}

type Opening = 'add' | 'invite' | 'export'

/** What is opened from the page itself, also by the palette. */
function useOpeners(open: (opening: Opening) => void) {
  const { t } = useTranslation('members')
  return useMemo(
    () => [
      { id: 'invite', label: t('invite.action'), run: () => open('invite') },
      { id: 'add-member', label: t('add'), run: () => open('add') },
      { id: 'export', label: t('export.title'), run: () => open('export') },
    ],
    [t, open],
  )
}

function AddButtons({ onOpen }: { readonly onOpen: (opening: Opening) => void }) {
  const { t } = useTranslation('members')
  return (
    <>
      <Button onClick={() => onOpen('add')}>
        <UserPlus aria-hidden />
        {t('add')}
      </Button>
      <Button look="primary" onClick={() => onOpen('invite')}>
        <Mail aria-hidden />
        {t('invite.action')}
      </Button>
    </>
  )
}

type OpenedProps = {
  readonly opening: Opening | undefined
  readonly packages: readonly PackageView[]
  readonly onClose: () => void
}

function Opened({ opening, packages, onClose }: OpenedProps) {
  switch (opening) {
    case 'add':
      return <AddMember onClose={onClose} />
    case 'invite':
      return <InviteMember packages={packages} onClose={onClose} />
    case 'export':
      return <ExportUsage onClose={onClose} />
    case undefined:
      return null
  }
}
