import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Cable, Ellipsis, Plus, Radar } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApi } from '#renderer/api/use-api.ts'
import { useCommands } from '#renderer/app/commands.tsx'
import { Button, IconButton } from '#renderer/components/button.tsx'
import { ListPage } from '#renderer/components/list-page.tsx'
import { Menu, MenuItem } from '#renderer/components/menu.tsx'
import { EmptyState } from '#renderer/components/states.tsx'
import { filteredRows, providerRows } from '#renderer/data/provider-list.ts'
import { withOpen } from '#renderer/data/search.ts'
import { useProviderColumns, type OnProviderTask } from '#renderer/pages/providers/columns.tsx'
import { ProviderDialogs, type ProviderTask } from '#renderer/pages/providers/ProviderDialogs.tsx'
import { ProviderDrawer } from '#renderer/pages/providers/ProviderDrawer.tsx'
import { ProviderFilters } from '#renderer/pages/providers/ProviderFilters.tsx'
import { parseSearch, type ProvidersSearchChange } from '#renderer/pages/providers/search.ts'

const route = getRouteApi('/shell/providers')
const EVERY_MS = 15_000

export function ProvidersPage() {
  const { t } = useTranslation('providers')
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/providers' })
  const { providers, rows } = useProviderRows()
  const [task, setTask] = useState<ProviderTask>()
  const columns = useProviderColumns(setTask)
  const shown = useMemo(() => rows && filteredRows(rows, search), [rows, search])
  const opened = rows?.find(({ provider: { id, name } }) => id === search.open || name === search.open)
  // By what the address says when it happens: two filters that are set at once must both hold.
  const open = (id: string | undefined) => void navigate({ search: (now) => withOpen(now, id) })
  const filter = (change: ProvidersSearchChange) =>
    void navigate({ search: (now) => parseSearch({ ...now, ...change }), replace: true })
  useProviderCommands(setTask)
  return (
    <ListPage
      title={t('title')}
      description={t('description')}
      failed={t('failed')}
      list={providers}
      actions={<HeadButtons onTask={setTask} />}
      filters={
        <ProviderFilters
          shown={shown?.length}
          filter={search}
          onChange={filter}
          onClear={() => void navigate({ search: (now) => withOpen({}, now.open), replace: true })}
        />
      }
      columns={columns}
      items={shown}
      idOf={({ provider }) => provider.id}
      openId={opened?.provider.id}
      onOpen={({ provider }) => open(provider.id)}
      empty={<NoProviders hasAny={(rows?.length ?? 0) > 0} onTask={setTask} />}
    >
      {opened !== undefined && (
        <ProviderDrawer key={opened.provider.id} row={opened} onClose={() => open(undefined)} onTask={setTask} />
      )}
      <ProviderDialogs
        task={task}
        rows={rows ?? []}
        onClose={() => setTask(undefined)}
        onOpen={open}
        onTask={setTask}
      />
    </ListPage>
  )
}

function useProviderRows() {
  const providers = useApi('listProviders', {}, { everyMs: EVERY_MS })
  const { data: models, isLoading: isModelsOpen } = useApi('listModels', {}, { everyMs: EVERY_MS })
  const { data: status, isLoading: isStatusOpen } = useApi('status', {}, { everyMs: EVERY_MS })
  const isOpen = isModelsOpen || isStatusOpen
  const rows = useMemo(
    () => (isOpen ? undefined : providers.data && providerRows(providers.data, models, status)),
    [isOpen, providers.data, models, status],
  )
  return { providers, rows }
}

function useProviderCommands(onTask: OnProviderTask): void {
  const { t } = useTranslation('providers')
  useCommands(
    useMemo(
      () => [
        { id: 'add-provider', label: t('add.action'), run: () => onTask({ action: 'add' }) },
        { id: 'discover', label: t('discover.action'), run: () => onTask({ action: 'discover' }) },
        { id: 'move-secrets', label: t('move.action'), run: () => onTask({ action: 'move' }) },
      ],
      [t, onTask],
    ),
  )
}

function HeadButtons({ onTask }: { readonly onTask: OnProviderTask }) {
  const { t } = useTranslation('providers')
  return (
    <>
      <Button onClick={() => onTask({ action: 'discover' })}>
        <Radar aria-hidden />
        {t('discover.action')}
      </Button>
      <Button look="primary" onClick={() => onTask({ action: 'add' })}>
        <Plus aria-hidden />
        {t('add.action')}
      </Button>
      <Menu
        trigger={
          <IconButton label={t('more')} look="plain">
            <Ellipsis aria-hidden />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => onTask({ action: 'move' })}>{t('move.action')}</MenuItem>
      </Menu>
    </>
  )
}

function NoProviders({ hasAny, onTask }: { readonly hasAny: boolean; readonly onTask: OnProviderTask }) {
  const { t } = useTranslation('providers')
  if (hasAny) return <EmptyState icon={Cable} title={t('noneMatch')} />
  return (
    <EmptyState
      icon={Cable}
      title={t('none')}
      action={
        <>
          <Button onClick={() => onTask({ action: 'discover' })}>{t('discover.action')}</Button>
          <Button look="primary" onClick={() => onTask({ action: 'add' })}>
            {t('add.action')}
          </Button>
        </>
      }
    >
      {t('noneHint')}
    </EmptyState>
  )
}
