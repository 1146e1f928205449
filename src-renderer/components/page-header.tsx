import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useDocumentTitle } from '#renderer/components/use-document-title.ts'

type PageHeaderProps = {
  readonly title: string
  /** What this page is for, in a sentence. */
  readonly description?: ReactNode
  /** IANA name of the zone that times of the page are in; named here, once. Null until it is known: its line is kept for it. */
  readonly zone?: string | null
  readonly actions?: ReactNode
}

export function PageHeader({ title, description, zone, actions }: PageHeaderProps) {
  const { t } = useTranslation('common')
  useDocumentTitle(title)
  return (
    <header className="mb-4 flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
      <div className="min-w-0">
        <h1 className="text-lg font-semibold">{title}</h1>
        {description !== undefined && <p className="text-sm text-muted">{description}</p>}
        {zone !== undefined && <p className="min-h-4 text-xs text-muted">{zone !== null && t('zone', { zone })}</p>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  )
}
