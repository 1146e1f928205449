import { Link } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { Ellipsis } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyView, PackageView } from '#contract/schemas.ts'
import { IconButton } from '#renderer/components/button.tsx'
import type { Column } from '#renderer/components/data-table.tsx'
import { Menu, MenuItem } from '#renderer/components/menu.tsx'
import { PackageCredits } from '#renderer/components/package-facts.tsx'
import { microOf } from '#renderer/data/money.ts'
import { compactText, countText } from '#renderer/data/numbers.ts'
import { PackageEnd, PackageTypeName } from '#renderer/pages/packages/PackageDrawer.tsx'
import { LeastLeft } from '#renderer/pages/packages/Left.tsx'
import type { PackageTask } from '#renderer/pages/packages/PackageDialogs.tsx'

/** Without `onAction` there is nothing to do with a package but to read it. */
export function usePackageColumns(
  keys: readonly KeyView[] | undefined,
  onAction: ((task: PackageTask) => void) | undefined,
): readonly Column<PackageView>[] {
  const { t } = useTranslation('packages')
  return useMemo(() => {
    const name: Column<PackageView> = {
      id: 'name',
      header: t('column.name'),
      cell: (entity) => <span className="inline-block min-w-24 font-medium break-words">{entity.name}</span>,
      sortBy: (entity) => entity.name,
    }
    const type: Column<PackageView> = {
      id: 'type',
      header: t('column.type'),
      cell: (entity) => <PackageTypeName type={entity.type} />,
      sortBy: (entity) => entity.type,
      className: 'max-md:hidden',
    }
    const credits: Column<PackageView> = {
      id: 'credits',
      header: t('column.credits'),
      cell: (entity) => <PackageCredits item={entity} />,
      sortBy: (entity) => (entity.credits === null ? undefined : microOf(entity.credits)),
    }
    const limits: Column<PackageView> = {
      id: 'limits',
      header: t('column.limits'),
      cell: (entity) => <Limits limits={entity.limits} />,
      className: 'max-lg:hidden',
    }
    const count: Column<PackageView> = {
      id: 'keys',
      header: t('column.keys'),
      cell: (entity) => <KeyCount entity={entity} />,
      sortBy: (entity) => entity.keys,
      align: 'right',
    }
    const end: Column<PackageView> = {
      id: 'end',
      header: t('column.end'),
      cell: (entity) => <PackageEnd entity={entity} />,
      sortBy: (entity) => entity.valid_until ?? undefined,
      className: 'max-md:hidden whitespace-nowrap',
    }
    const models: Column<PackageView> = {
      id: 'models',
      header: t('column.models'),
      cell: (entity) => <Models models={entity.models} />,
      className: 'max-md:hidden',
    }
    const actions: Column<PackageView> = {
      id: 'actions',
      header: <span className="sr-only">{t('column.actions')}</span>,
      cell: (entity) => onAction && <PackageMenu entity={entity} onAction={onAction} />,
      align: 'right',
      className: 'w-10 max-sm:hidden',
    }
    const middle = [credits, leftColumn(t, keys), zoneColumn(t), limits, models, count, end]
    return [name, type, ...middle, ...(onAction === undefined ? [] : [actions])]
  }, [t, keys, onAction])
}

function leftColumn(t: TFunction<'packages'>, keys: readonly KeyView[] | undefined): Column<PackageView> {
  return {
    id: 'left',
    header: t('column.left'),
    cell: (entity) => <LeastLeft entity={entity} keys={keys} />,
    className: 'max-sm:hidden',
  }
}

function zoneColumn(t: TFunction<'packages'>): Column<PackageView> {
  return {
    id: 'zone',
    header: t('column.zone'),
    cell: (entity) => entity.timezone,
    sortBy: (entity) => entity.timezone,
    className: 'max-[1279px]:hidden',
  }
}

function Limits({ limits }: { readonly limits: PackageView['limits'] }) {
  const { t, i18n } = useTranslation('packages')
  const parts = [
    [limits.requests_per_minute, 'requests'],
    [limits.tokens_per_minute, 'tokens'],
    [limits.concurrent_requests, 'concurrent'],
  ] as const
  const set = parts.flatMap(([limit, word]) => (limit === null ? [] : [{ limit, word }]))
  if (set.length === 0) return <span className="text-muted">{t('short.none')}</span>
  return (
    <span className="flex flex-wrap gap-x-2">
      {set.map(({ limit, word }) => (
        <span key={word} className="whitespace-nowrap">
          {t(`short.${word}`, { text: compactText(limit, i18n.language) })}
        </span>
      ))}
    </span>
  )
}

function Models({ models }: { readonly models: PackageView['models'] }) {
  const { t, i18n } = useTranslation('packages')
  if (models === 'all') return t('models.all')
  return (
    <span title={models.join('\n')} className="whitespace-nowrap">
      {t('models.count', { count: models.length, text: countText(models.length, i18n.language) })}
    </span>
  )
}

function KeyCount({ entity }: { readonly entity: PackageView }) {
  const { t, i18n } = useTranslation('packages')
  const text = countText(entity.keys, i18n.language)
  if (entity.keys === 0) return <span className="text-muted">{text}</span>
  return (
    <Link
      to="/keys"
      search={{ package: entity.name, state: 'all' }}
      aria-label={t('keysOf', { count: entity.keys, text, name: entity.name })}
      className="text-accent underline-offset-2 hover:underline"
    >
      {text}
    </Link>
  )
}

type PackageMenuProps = { readonly entity: PackageView; readonly onAction: (task: PackageTask) => void }

function PackageMenu({ entity, onAction }: PackageMenuProps) {
  const { t } = useTranslation('packages')
  return (
    <Menu
      trigger={
        <IconButton label={t('actionsOf', { name: entity.name })} size="small-icon">
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      <MenuItem onSelect={() => onAction({ action: 'edit', entity })}>{t('edit.action')}</MenuItem>
      <MenuItem isDanger onSelect={() => onAction({ action: 'remove', entity })}>
        {t('remove.action')}
      </MenuItem>
    </Menu>
  )
}
