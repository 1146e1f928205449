import { getRouteApi, Link } from '@tanstack/react-router'
import { Unlink } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { readLink } from '#contract/link.ts'
import { Button } from '#renderer/components/button.tsx'
import { PageHeader } from '#renderer/components/page-header.tsx'
import { EmptyState } from '#renderer/components/states.tsx'
import { InvitePreview } from '#renderer/pages/link/InvitePreview.tsx'
import { ProviderPreview } from '#renderer/pages/link/ProviderPreview.tsx'

const route = getRouteApi('/shell/link')

/** Where a link that begins with `farebox://` leads: it shows what the link proposes, and does nothing by itself. */
export function LinkPage() {
  const { t } = useTranslation('link')
  const { to = '' } = route.useSearch()
  const reading = readLink(to)
  return (
    <div className="mx-auto max-w-xl">
      <PageHeader title={t('title')} description={t('description')} />
      {reading.type === 'problem' && (
        <EmptyState
          icon={Unlink}
          title={t('broken')}
          action={
            <Button asChild>
              <Link to="/overview">{t('leave')}</Link>
            </Button>
          }
        >
          {t(`problem.${reading.problem}`)}
        </EmptyState>
      )}
      {reading.type === 'link' && reading.link.action === 'add-provider' && (
        <ProviderPreview key={to} proposed={reading.link} />
      )}
      {reading.type === 'link' && reading.link.action === 'accept-invite' && (
        <InvitePreview key={to} proposed={reading.link} />
      )}
    </div>
  )
}
