import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '#renderer/api/session.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { useCommands } from '#renderer/app/commands.tsx'
import { After } from '#renderer/components/after.tsx'
import { OwnLimits } from '#renderer/components/own-limits.tsx'
import { PageHeader } from '#renderer/components/page-header.tsx'
import { ErrorState, Skeleton, StaleMark } from '#renderer/components/states.tsx'
import { newestOf } from '#renderer/data/live.ts'
import { Attention } from '#renderer/pages/overview/Attention.tsx'
import { FirstRunOffer, useFirstRunOffer } from '#renderer/pages/overview/FirstRunOffer.tsx'
import { Latest } from '#renderer/pages/overview/Latest.tsx'
import { BillsLine } from '#renderer/pages/overview/BillsLine.tsx'
import { ProjectLimits } from '#renderer/pages/overview/ProjectLimits.tsx'
import { viewOf, type OverviewSearch } from '#renderer/pages/overview/search.ts'
import { SpendCard } from '#renderer/pages/overview/SpendCard.tsx'
import { GatewayFacts } from '#renderer/pages/overview/GatewayFacts.tsx'
import { Tiles } from '#renderer/pages/overview/Tiles.tsx'
import { Waiting } from '#renderer/pages/overview/Waiting.tsx'
import { useLive } from '#renderer/pages/overview/use-live.ts'

const route = getRouteApi('/shell/overview')
/** As in the shell, which asks for the same and shares the answer. */
const EVERY_MS = 15_000
const REPORT_EVERY_MS = 60_000
const LATEST = 5

export function OverviewPage() {
  const { t } = useTranslation('overview')
  const navigate = useNavigate()
  const { overview } = useNumbers()
  useCommands(
    useMemo(
      () => [{ id: 'first-run', label: t('firstRun.open'), run: () => void navigate({ to: '/first-run' }) }],
      [navigate, t],
    ),
  )
  const { data } = overview
  return (
    <>
      <PageHeader
        title={t('title')}
        zone={data?.gateway.time_zone ?? null}
        description={
          data === undefined ? <Skeleton className="my-0.5 w-56" /> : <GatewayFacts gateway={data.gateway} />
        }
        actions={overview.isError && data !== undefined && <StaleMark atMs={overview.dataUpdatedAt} />}
      />
      {overview.isError && data === undefined ? (
        <ErrorState title={t('failed')} onRetry={() => void overview.refetch()}>
          {overview.error.message}
        </ErrorState>
      ) : (
        <Numbers />
      )}
    </>
  )
}

function useNumbers() {
  const isAdministrator = useSession()?.role === 'administrator'
  return {
    overview: useApi('overview', {}, { everyMs: EVERY_MS }),
    waiting: useApi('listWaiting', {}, { everyMs: EVERY_MS }),
    projects: useApi('listProjects', {}, { everyMs: EVERY_MS, isEnabled: isAdministrator }),
  }
}

function Numbers() {
  const { overview, waiting, projects } = useNumbers()
  const offer = useFirstRunOffer()
  const search = route.useSearch()
  const navigate = useNavigate()
  const view = viewOf(search)
  const report = useApi(
    'usageReport',
    { query: { from: view.range, group: view.group, rollup: view.rollup } },
    { everyMs: REPORT_EVERY_MS, keepsPrevious: true },
  )
  const live = useLive()
  const change = (changed: OverviewSearch) =>
    void navigate({ to: '/overview', search: { ...search, ...changed }, replace: true, resetScroll: false })
  // How high all of it is that stands above the chart is known at once.
  const data = offer.isKnown && !waiting.isLoading ? overview.data : undefined
  const zone = data?.gateway.time_zone
  return (
    <div className="flex flex-col gap-4">
      <Tiles overview={data} />
      <After isReady={data !== undefined} meanwhile={<Meanwhile />}>
        <FirstRunOffer {...offer} />
        <OwnLimits overview={data} />
        <Attention items={data?.attention ?? []} zone={zone} />
        <Waiting waiting={waiting.data} zone={zone} />
        <SpendCard
          view={view}
          onChange={change}
          report={report.data}
          error={report.isError ? report.error : undefined}
          onRetry={() => void report.refetch()}
        />
        <After isReady={!report.isLoading} where="wide">
          <Latest usage={data && newestOf(live, data.latest, LATEST)} zone={zone} />
        </After>
        <After isReady={!report.isLoading}>
          <ProjectLimits projects={projects.data} />
          <After isReady={!projects.isLoading}>
            <BillsLine />
          </After>
        </After>
      </After>
    </div>
  )
}

/** What needs attention, and the chart, while nobody knows where they begin. */
function Meanwhile() {
  return (
    <>
      <Skeleton className="h-13 rounded-lg" />
      <Skeleton className="h-96 rounded-lg" />
    </>
  )
}
