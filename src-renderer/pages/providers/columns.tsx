import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '#renderer/components/button.tsx'
import type { Column } from '#renderer/components/data-table.tsx'
import { Menu, MenuItem, MenuLine } from '#renderer/components/menu.tsx'
import { Money } from '#renderer/components/money.tsx'
import { HealthMark } from '#renderer/components/target-health.tsx'
import { countText } from '#renderer/data/numbers.ts'
import type { ProviderRow } from '#renderer/data/provider-list.ts'
import type { ProviderTask } from '#renderer/pages/providers/ProviderDialogs.tsx'
import { SecretMark } from '#renderer/pages/providers/SecretState.tsx'

export type OnProviderTask = (task: ProviderTask) => void

export function useProviderColumns(onTask: OnProviderTask): readonly Column<ProviderRow>[] {
  const { t } = useTranslation('providers')
  return useMemo(() => {
    const columns: readonly Column<ProviderRow>[] = [
      {
        id: 'name',
        header: t('column.name'),
        cell: ({ provider }) => (
          <span className="block max-w-56 truncate font-medium max-sm:max-w-32" title={provider.name}>
            {provider.name}
          </span>
        ),
        sortBy: ({ provider }) => provider.name,
      },
      {
        id: 'address',
        header: t('column.address'),
        cell: ({ provider }) => <Address url={provider.base_url} />,
        sortBy: ({ provider }) => provider.base_url,
        className: 'max-md:hidden',
      },
      {
        id: 'secret',
        header: t('column.secret'),
        cell: ({ provider }) => <SecretMark provider={provider} />,
        sortBy: ({ provider }) => provider.secret_state,
      },
      {
        id: 'health',
        header: t('column.health'),
        cell: (row) => <Health row={row} />,
        sortBy: ({ worst }) => worst,
      },
      {
        id: 'today',
        header: t('column.today'),
        cell: ({ use }) => <Money credits={use?.credits_today} />,
        sortBy: ({ use }) => use?.credits_today,
        align: 'right',
        className: 'max-lg:hidden',
      },
      {
        id: 'models',
        header: t('column.models'),
        cell: (row) => <ModelCount row={row} />,
        sortBy: ({ models }) => models?.length,
        align: 'right',
        className: 'max-sm:hidden',
      },
      {
        id: 'actions',
        header: <span className="sr-only">{t('column.actions')}</span>,
        cell: (row) => <ProviderMenu row={row} onTask={onTask} />,
        align: 'right',
        className: 'w-10 max-sm:hidden',
      },
    ]
    return columns
  }, [t, onTask])
}

function Address({ url }: { readonly url: string }) {
  const { t } = useTranslation('providers')
  if (url === '') return <span className="text-muted">{t('noAddress')}</span>
  return (
    <span className="block max-w-72 truncate text-muted" title={url}>
      {url.replace(/^https?:\/\//, '')}
    </span>
  )
}

function Health({ row: { targets, worst } }: { readonly row: ProviderRow }) {
  const { t, i18n } = useTranslation('providers')
  if (worst === undefined) return <span className="text-muted">{t('health.none')}</span>
  const well = targets.filter(({ state }) => state === 'ok').length
  const title = t('health.title', {
    well: countText(well, i18n.language),
    all: countText(targets.length, i18n.language),
  })
  return (
    <span className="inline-flex items-center gap-2" title={title}>
      <HealthMark state={worst} />
      {well < targets.length && (
        <span className="text-xs text-muted tabular-nums max-sm:hidden">{`${well}/${targets.length}`}</span>
      )}
    </span>
  )
}

function ModelCount({ row: { provider, models } }: { readonly row: ProviderRow }) {
  const { t, i18n } = useTranslation('providers')
  if (models === undefined) return <span className="text-muted">–</span>
  const text = countText(models.length, i18n.language)
  if (models.length === 0) return <span className="text-muted">{text}</span>
  return (
    <Link
      to="/models"
      search={{ provider: provider.name }}
      aria-label={t('modelsOf', { count: models.length, text, name: provider.name })}
      className="text-accent underline-offset-2 hover:underline"
    >
      {text}
    </Link>
  )
}

function ProviderMenu({ row, onTask }: { readonly row: ProviderRow; readonly onTask: OnProviderTask }) {
  const { t } = useTranslation('providers')
  const { provider } = row
  return (
    <Menu
      trigger={
        <IconButton label={t('actionsOf', { name: provider.name })} size="small-icon">
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      <MenuItem onSelect={() => onTask({ action: 'models', id: provider.id })}>{t('offers.action')}</MenuItem>
      <MenuItem onSelect={() => onTask({ action: 'edit', id: provider.id })}>{t('edit.action')}</MenuItem>
      {provider.dialect !== 'demo' && (
        <MenuItem onSelect={() => onTask({ action: 'secret', id: provider.id })}>
          {t(provider.has_secret ? 'secret.replace' : 'secret.give')}
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem isDanger onSelect={() => onTask({ action: 'remove', id: provider.id })}>
        {t('remove.action')}
      </MenuItem>
    </Menu>
  )
}
