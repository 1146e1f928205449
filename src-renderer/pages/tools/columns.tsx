import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { ToolView } from '#contract/tools.ts'
import type { Column } from '#renderer/components/data-table.tsx'
import { Time } from '#renderer/components/time.tsx'
import { ToolState } from '#renderer/pages/tools/ToolState.tsx'

export function useToolColumns(): readonly Column<ToolView>[] {
  const { t } = useTranslation('tools')
  return useMemo(
    () => [
      {
        id: 'name',
        header: t('column.name'),
        cell: ({ name }) => <span className="font-medium break-words">{name}</span>,
        sortBy: ({ name }) => name,
      },
      { id: 'state', header: t('column.state'), cell: (tool) => <ToolState tool={tool} /> },
      {
        id: 'request',
        header: t('column.request'),
        cell: ({ last_request_at: at }) => <Time at={at} />,
        className: 'max-sm:hidden',
      },
      {
        id: 'installed',
        header: t('column.installed'),
        cell: (tool) => <Installed tool={tool} />,
        className: 'max-sm:hidden',
      },
      {
        id: 'files',
        header: t('column.files'),
        cell: ({ files }) => <span className="font-mono text-xs break-all">{files.join(', ')}</span>,
        className: 'max-lg:hidden',
      },
    ],
    [t],
  )
}

/** Which version is on this machine. */
export function Installed({ tool: { installed, version } }: { readonly tool: ToolView }) {
  const { t } = useTranslation('tools')
  if (!installed) return <span className="text-muted">{t('notFound')}</span>
  return version ?? t('found')
}
