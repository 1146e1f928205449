import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { CircleHelp } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { EmptyState, ErrorState, Loading } from '#renderer/components/states.tsx'

/** In the place of a page that broke; the shell around it goes on. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation('common')
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return (
    <ErrorState title={t('pageFailed')} onRetry={retry}>
      {error instanceof Error ? error.message : String(error)}
    </ErrorState>
  )
}

export function PageNotFound() {
  const { t } = useTranslation('common')
  return (
    <EmptyState
      icon={CircleHelp}
      title={t('notFound')}
      action={
        <Button asChild>
          <Link to="/overview">{t('toOverview')}</Link>
        </Button>
      }
    />
  )
}

export function PageLoading() {
  return <Loading lines={6} className="max-w-xl" />
}
