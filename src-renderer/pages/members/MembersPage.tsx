import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { UserPlus, Users } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApi } from '#renderer/api/use-api.ts'
import { useCommands } from '#renderer/app/commands.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { DataTable } from '#renderer/components/data-table.tsx'
import { PageHeader } from '#renderer/components/page-header.tsx'
import { EmptyState, StaleMark } from '#renderer/components/states.tsx'
import { ownZone } from '#renderer/data/zone-dates.ts'
import { AddMember } from '#renderer/pages/members/AddMember.tsx'
import { useMemberColumns } from '#renderer/pages/members/columns.tsx'
import { MemberDialogs, useMemberTasks } from '#renderer/pages/members/MemberDialogs.tsx'
import { MemberDrawer } from '#renderer/pages/members/MemberDrawer.tsx'

const route = getRouteApi('/shell/members')
const EVERY_MS = 15_000

export function MembersPage() {
  const { t } = useTranslation('members')
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/members' })
  const members = useApi('listMembers', {}, { everyMs: EVERY_MS })
  const packages = useApi('listPackages', {}).data
  const [isAdding, setIsAdding] = useState(false)
  const { task, start, close } = useMemberTasks()
  const columns = useMemberColumns(packages, start)
  const opened = members.data?.find(({ id, name }) => id === search.open || name === search.open)
  const open = (id: string | undefined) => void navigate({ search: id === undefined ? {} : { open: id } })
  const add = useMemo(() => ({ id: 'add-member', label: t('add'), run: () => setIsAdding(true) }), [t])
  useCommands(useMemo(() => [add], [add]))
  const button = (
    <Button look="primary" onClick={add.run}>
      <UserPlus aria-hidden />
      {t('add')}
    </Button>
  )
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        zone={ownZone()}
        actions={
          <>
            {members.isError && members.data !== undefined && <StaleMark atMs={members.dataUpdatedAt} />}
            {button}
          </>
        }
      />
      <Card isFlush>
        <DataTable
          label={t('title')}
          columns={columns}
          items={members.data}
          idOf={(member) => member.id}
          openId={opened?.id}
          onOpen={(member) => open(member.id)}
          empty={
            <EmptyState icon={Users} title={t('none')} action={button}>
              {t('noneHint')}
            </EmptyState>
          }
          error={
            members.isError
              ? { title: t('failed'), text: members.error.message, onRetry: () => void members.refetch() }
              : undefined
          }
        />
      </Card>
      {opened !== undefined && (
        <MemberDrawer member={opened} packages={packages} onClose={() => open(undefined)} onAction={start} />
      )}
      <MemberDialogs task={task} packages={packages ?? []} onClose={close} />
      {isAdding && <AddMember onClose={() => setIsAdding(false)} />}
    </>
  )
}
