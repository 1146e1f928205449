import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { CircleHelp } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { EmptyState, ErrorState, Loading } from '#renderer/components/states.tsx'

/** What somebody tried again. */
const tried = new WeakSet()

/** In the place of a page that broke; the shell around it goes on. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation('common')
  const router = useRouter()
  const retry = () => {
    // What fails with the very same error was kept somewhere, and goes away with the page alone.
    if (error instanceof Error && tried.has(error)) return location.reload()
    if (error instanceof Error) tried.add(error)
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
