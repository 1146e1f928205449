import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { KeyRound, Plus } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '#renderer/api/session.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { ListPage } from '#renderer/components/list-page.tsx'
import { EmptyState } from '#renderer/components/states.tsx'
import { filteredKeys, isLongBalance } from '#renderer/data/key-list.ts'
import { useKeyColumns } from '#renderer/pages/keys/columns.tsx'
import { CreateKey } from '#renderer/pages/keys/CreateKey.tsx'
import { KeyDialogs, useKeyTasks } from '#renderer/pages/keys/KeyDialogs.tsx'
import { KeyDrawer } from '#renderer/pages/keys/KeyDrawer.tsx'
import { KeyFilters } from '#renderer/pages/keys/KeyFilters.tsx'
import { parseSearch, withOpenKey, type KeysSearchChange } from '#renderer/pages/keys/search.ts'

const route = getRouteApi('/shell/keys')
const EVERY_MS = 10_000

export function KeysPage() {
  const { t } = useTranslation('keys')
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/keys' })
  const role = useSession()?.role === 'administrator' ? 'administrator' : 'member'
  const keys = useApi('listKeys', {}, { everyMs: EVERY_MS })
  const { task, start, close } = useKeyTasks()
  const shown = useMemo(() => keys.data && filteredKeys(keys.data, search), [keys.data, search])
  const isLong = shown?.some(({ balance }) => isLongBalance(balance)) ?? false
  const columns = useKeyColumns({ role, isLong, onAction: start })
  // By what the address says when it happens: a drawer that was closed just now must not come back with a filter.
  const open = (id: string | undefined) => void navigate({ search: (now) => withOpenKey(now, id) })
  const create = () => void navigate({ search: (now) => ({ ...withOpenKey(now, undefined), make: 'key' }) })
  const filter = (change: KeysSearchChange) =>
    void navigate({ search: (now) => withOpenKey(parseSearch({ ...now, ...change }), now.open), replace: true })
  const clear = () => void navigate({ search: (now) => withOpenKey({}, now.open), replace: true })
  return (
    <ListPage
      title={t('title')}
      description={t(role === 'member' ? 'descriptionOwn' : 'description')}
      failed={t('failed')}
      list={keys}
      actions={<CreateButton onClick={create} />}
      filters={
        <KeyFilters
          role={role}
          keys={keys.data}
          shown={shown?.length}
          filter={search}
          onChange={filter}
          onClear={clear}
        />
      }
      columns={columns}
      items={shown}
      idOf={(key) => key.id}
      openId={search.open}
      onOpen={(key) => open(key.id)}
      empty={<NoKeys hasAny={(keys.data?.length ?? 0) > 0} onCreate={create} />}
    >
      {search.open !== undefined && (
        <KeyDrawer id={search.open} role={role} onClose={() => open(undefined)} onAction={start} />
      )}
      <KeyDialogs task={task} keys={keys.data} onClose={close} />
      {search.make === 'key' && <CreateKey role={role} onClose={() => open(undefined)} />}
    </ListPage>
  )
}

function CreateButton({ onClick }: { readonly onClick: () => void }) {
  const { t } = useTranslation('keys')
  return (
    <Button look="primary" onClick={onClick}>
      <Plus aria-hidden />
      {t('create')}
    </Button>
  )
}

function NoKeys({ hasAny, onCreate }: { readonly hasAny: boolean; readonly onCreate: () => void }) {
  const { t } = useTranslation('keys')
  if (hasAny) return <EmptyState icon={KeyRound} title={t('noneMatch')} />
  return (
    <EmptyState icon={KeyRound} title={t('none')} action={<CreateButton onClick={onCreate} />}>
      {t('noneHint')}
    </EmptyState>
  )
}
