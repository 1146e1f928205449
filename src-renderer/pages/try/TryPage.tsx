import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useApi } from '#renderer/api/use-api.ts'
import { useCommands } from '#renderer/app/commands.tsx'
import { Card } from '#renderer/components/card.tsx'
import { PageHeader } from '#renderer/components/page-header.tsx'
import { ErrorState, Loading } from '#renderer/components/states.tsx'
import { NoKeys } from '#renderer/pages/try/NoKeys.tsx'
import type { TrySearch } from '#renderer/pages/try/search.ts'
import { TryAnswer } from '#renderer/pages/try/TryAnswer.tsx'
import { TryForm } from '#renderer/pages/try/TryForm.tsx'
import { useTry } from '#renderer/pages/try/use-try.ts'

const route = getRouteApi('/shell/try')

/** Sends a request as a tool would, with one of one's keys, and shows all that comes back. */
export function TryPage() {
  const { t } = useTranslation('try')
  const search = route.useSearch()
  const navigate = useNavigate()
  const keys = useApi('listKeys', {})
  const models = useApi('listModels', {})
  const { run, send, stop } = useTry()
  const isRunning = run?.state === 'sent' || run?.state === 'answering'
  useCommands(useMemo(() => (isRunning ? [{ id: 'stop', label: t('stop'), run: stop }] : []), [isRunning, stop, t]))
  const change = (changed: TrySearch) =>
    void navigate({ to: '/try', search: { ...search, ...changed }, replace: true, resetScroll: false })
  const failed = [keys, models].find((query) => query.isError && query.data === undefined)
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      {failed !== undefined && (
        <ErrorState title={t('failed')} onRetry={() => void failed.refetch()}>
          {failed.error?.message}
        </ErrorState>
      )}
      {failed === undefined && (keys.data === undefined || models.data === undefined) && <Loading lines={6} />}
      {keys.data?.length === 0 && <NoKeys />}
      {keys.data !== undefined && keys.data.length > 0 && models.data !== undefined && (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Card title={t('request')}>
            <TryForm
              keys={keys.data}
              models={models.data}
              search={search}
              onChange={change}
              isRunning={isRunning}
              onSend={send}
              onStop={stop}
            />
          </Card>
          <TryAnswer run={run} />
        </div>
      )}
    </>
  )
}
