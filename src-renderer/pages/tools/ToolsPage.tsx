import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Plug } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ToolView } from '#contract/tools.ts'
import { ListPage } from '#renderer/components/list-page.tsx'
import { EmptyState } from '#renderer/components/states.tsx'
import { useToolColumns } from '#renderer/pages/tools/columns.tsx'
import { ConnectDialog } from '#renderer/pages/tools/ConnectDialog.tsx'
import { DisconnectDialog } from '#renderer/pages/tools/DisconnectDialog.tsx'
import { ScanCard } from '#renderer/pages/tools/ScanCard.tsx'
import { ToolDrawer } from '#renderer/pages/tools/ToolDrawer.tsx'
import { useTools } from '#renderer/pages/tools/use-tools.ts'

const route = getRouteApi('/shell/tools')

/** What is to be done with which tool. */
type Task = { readonly action: 'connect' | 'disconnect'; readonly tool: string }

/** The tools of this machine: how each is connected, and connecting them. */
export function ToolsPage() {
  const { t } = useTranslation('tools')
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/tools' })
  const { list, tools } = useTools()
  const [task, setTask] = useState<Task>()
  const columns = useToolColumns()
  const named = (name: string | undefined) => tools?.find(({ tool }) => tool === name)
  const opened = named(search.open)
  const meant = named(task?.tool)
  const open = (tool: string | undefined) => void navigate({ search: tool === undefined ? {} : { open: tool } })
  const begin = (action: Task['action']) => opened !== undefined && setTask({ action, tool: opened.tool })
  const close = () => setTask(undefined)
  return (
    <ListPage
      title={t('title')}
      description={t('description')}
      failed={t('failed')}
      list={list}
      filters={tools !== undefined && <NoneInstalled tools={tools} />}
      columns={columns}
      items={tools}
      idOf={({ tool }) => tool}
      openId={opened?.tool}
      onOpen={({ tool }) => open(tool)}
      empty={<EmptyState icon={Plug} title={t('none')} />}
    >
      <ScanCard />
      {opened !== undefined && <ToolDrawer tool={opened} onClose={() => open(undefined)} onAction={begin} />}
      {meant !== undefined && task?.action === 'connect' && <ConnectDialog tool={meant} onClose={close} />}
      {meant !== undefined && task?.action === 'disconnect' && <DisconnectDialog tool={meant} onClose={close} />}
    </ListPage>
  )
}

/** On a server there may be none, and their users sit elsewhere. */
function NoneInstalled({ tools }: { readonly tools: readonly ToolView[] }) {
  const { t } = useTranslation('tools')
  if (tools.some(({ installed, state }) => installed || state !== 'none')) return null
  return <p className="mx-4 my-2 rounded-md bg-sunken px-3 py-2 text-sm">{t('noneInstalled')}</p>
}
