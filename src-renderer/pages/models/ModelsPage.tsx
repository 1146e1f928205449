import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Boxes, Plus, Scale } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApi } from '#renderer/api/use-api.ts'
import { useCommands } from '#renderer/app/commands.tsx'
import { Button } from '#renderer/components/button.tsx'
import { ListPage } from '#renderer/components/list-page.tsx'
import { EmptyState } from '#renderer/components/states.tsx'
import { filteredModels } from '#renderer/data/model-list.ts'
import { withOpen } from '#renderer/data/search.ts'
import { useModelColumns } from '#renderer/pages/models/columns.tsx'
import { ModelDialogs, type ModelTask } from '#renderer/pages/models/ModelDialogs.tsx'
import { ModelDrawer } from '#renderer/pages/models/ModelDrawer.tsx'
import { ModelFilters } from '#renderer/pages/models/ModelFilters.tsx'
import { parseSearch, type ModelsSearchChange } from '#renderer/pages/models/search.ts'

const route = getRouteApi('/shell/models')
const EVERY_MS = 15_000

export function ModelsPage() {
  const { t } = useTranslation('models')
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/models' })
  const models = useApi('listModels', {}, { everyMs: EVERY_MS })
  const status = useApi('status', {}, { everyMs: EVERY_MS })
  const health = status.data?.targets
  const [task, setTask] = useState<ModelTask>()
  const columns = useModelColumns(health, setTask)
  const shown = useMemo(() => models.data && filteredModels(models.data, search), [models.data, search])
  const opened = models.data?.find(({ id }) => id === search.open)
  // By what the address says when it happens: two filters that are set at once must both hold.
  const open = (id: string | undefined) => void navigate({ search: (now) => withOpen(now, id) })
  const filter = (change: ModelsSearchChange) =>
    void navigate({ search: (now) => parseSearch({ ...now, ...change }), replace: true })
  useModelCommands(setTask)
  return (
    <ListPage
      title={t('title')}
      description={t('description')}
      failed={t('failed')}
      list={models}
      actions={<HeadButtons onTask={setTask} />}
      filters={
        <ModelFilters
          models={models.data}
          shown={shown?.length}
          filter={search}
          onChange={filter}
          onClear={() => void navigate({ search: (now) => withOpen({}, now.open), replace: true })}
        />
      }
      columns={columns}
      items={status.isLoading ? undefined : shown}
      idOf={(model) => model.id}
      openId={search.open}
      onOpen={(model) => open(model.id)}
      empty={<NoModels hasAny={(models.data?.length ?? 0) > 0} onTask={setTask} />}
    >
      {opened !== undefined && (
        <ModelDrawer model={opened} health={health} onClose={() => open(undefined)} onTask={setTask} />
      )}
      <ModelDialogs task={task} onClose={() => setTask(undefined)} onGone={() => open(undefined)} />
    </ListPage>
  )
}

function useModelCommands(onTask: (task: ModelTask) => void): void {
  const { t } = useTranslation('models')
  useCommands(
    useMemo(
      () => [
        { id: 'add-model', label: t('add.action'), run: () => onTask({ action: 'add' }) },
        { id: 'price-card', label: t('card.action'), run: () => onTask({ action: 'card' }) },
      ],
      [t, onTask],
    ),
  )
}

function HeadButtons({ onTask }: { readonly onTask: (task: ModelTask) => void }) {
  const { t } = useTranslation('models')
  return (
    <>
      <Button onClick={() => onTask({ action: 'card' })}>
        <Scale aria-hidden />
        {t('card.action')}
      </Button>
      <Button look="primary" onClick={() => onTask({ action: 'add' })}>
        <Plus aria-hidden />
        {t('add.action')}
      </Button>
    </>
  )
}

function NoModels({ hasAny, onTask }: { readonly hasAny: boolean; readonly onTask: (task: ModelTask) => void }) {
  const { t } = useTranslation('models')
  if (hasAny) return <EmptyState icon={Boxes} title={t('noneMatch')} />
  return (
    <EmptyState
      icon={Boxes}
      title={t('none')}
      action={
        <Button look="primary" onClick={() => onTask({ action: 'add' })}>
          <Plus aria-hidden />
          {t('add.action')}
        </Button>
      }
    >
      {t('noneHint')}
    </EmptyState>
  )
}
