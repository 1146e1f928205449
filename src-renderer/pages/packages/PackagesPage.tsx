import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Package, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '#renderer/api/session.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { useCommands } from '#renderer/app/commands.tsx'
import { Button } from '#renderer/components/button.tsx'
import { ListPage } from '#renderer/components/list-page.tsx'
import { EmptyState } from '#renderer/components/states.tsx'
import { usePackageColumns } from '#renderer/pages/packages/columns.tsx'
import { CreatePackage } from '#renderer/pages/packages/CreatePackage.tsx'
import { PackageDialogs, type PackageTask } from '#renderer/pages/packages/PackageDialogs.tsx'
import { PackageDrawer } from '#renderer/pages/packages/PackageDrawer.tsx'

const route = getRouteApi('/shell/packages')
const EVERY_MS = 30_000

export function PackagesPage() {
  const { t } = useTranslation('packages')
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/packages' })
  const isAdministrator = useSession()?.role === 'administrator'
  const packages = useApi('listPackages', {}, { everyMs: EVERY_MS })
  const [isCreating, setIsCreating] = useState(false)
  const [task, setTask] = useState<PackageTask>()
  const keys = useApi('listKeys', {}, { everyMs: EVERY_MS })
  const columns = usePackageColumns(keys.data, isAdministrator ? setTask : undefined)
  const opened = packages.data?.find(({ id, name }) => id === search.open || name === search.open)
  const open = (id: string | undefined) => void navigate({ search: id === undefined ? {} : { open: id } })
  const create = useMemo(() => ({ id: 'create-package', label: t('create'), run: () => setIsCreating(true) }), [t])
  useCommands(useMemo(() => (isAdministrator ? [create] : []), [create, isAdministrator]))
  return (
    <ListPage
      title={t('title')}
      description={t(isAdministrator ? 'description' : 'descriptionOwn')}
      failed={t('failed')}
      list={packages}
      actions={isAdministrator && <CreateButton onClick={create.run} />}
      columns={columns}
      items={keys.isLoading ? undefined : packages.data}
      idOf={(entity) => entity.id}
      openId={opened?.id}
      onOpen={(entity) => open(entity.id)}
      empty={<NoPackages isAdministrator={isAdministrator} onCreate={create.run} />}
    >
      {opened !== undefined && (
        <PackageDrawer
          entity={opened}
          keys={keys.data}
          onClose={() => open(undefined)}
          onAction={isAdministrator ? setTask : undefined}
        />
      )}
      <PackageDialogs task={task} onClose={() => setTask(undefined)} />
      {isCreating && <CreatePackage onClose={() => setIsCreating(false)} />}
    </ListPage>
  )
}

function CreateButton({ onClick }: { readonly onClick: () => void }) {
  const { t } = useTranslation('packages')
  return (
    <Button look="primary" onClick={onClick}>
      <Plus aria-hidden />
      {t('create')}
    </Button>
  )
}

type NoPackagesProps = { readonly isAdministrator: boolean; readonly onCreate: () => void }

function NoPackages({ isAdministrator, onCreate }: NoPackagesProps) {
  const { t } = useTranslation('packages')
  if (!isAdministrator) return <EmptyState icon={Package} title={t('noneOpen')} />
  return (
    <EmptyState icon={Package} title={t('none')} action={<CreateButton onClick={onCreate} />}>
      {t('noneHint')}
    </EmptyState>
  )
}
