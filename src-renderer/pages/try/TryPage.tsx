import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { CornerDownRight } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TryBody } from '#contract/reports.ts'
import type { KeyView, ModelView, PackageView } from '#contract/schemas.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { useCommands } from '#renderer/app/commands.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { cn } from '#renderer/components/cn.ts'
import { PageHeader } from '#renderer/components/page-header.tsx'
import { ErrorState, Loading } from '#renderer/components/states.tsx'
import { includedModels, keyOf, limitingPackage, modelOf } from '#renderer/data/choices.ts'
import type { Answer } from '#renderer/data/try-answer.ts'
import { isEmbedding } from '#renderer/data/try-request.ts'
import { draftRequest, firstDraft, goneOn, withResults, type Draft } from '#renderer/data/try-talk.ts'
import { NoKeys } from '#renderer/pages/try/NoKeys.tsx'
import { parseSearch, type TrySearch, type TrySearchChange } from '#renderer/pages/try/search.ts'
import { TryAnswer } from '#renderer/pages/try/TryAnswer.tsx'
import { TryForm } from '#renderer/pages/try/TryForm.tsx'
import { useTry, type Run } from '#renderer/pages/try/use-try.ts'

const route = getRouteApi('/shell/try')

/** Sends a request as a tool would, with one of one's keys, and shows all that comes back. */
export function TryPage() {
  const { t } = useTranslation('try')
  const keys = useApi('listKeys', {})
  const models = useApi('listModels', {})
  const packages = useApi('listPackages', {})
  const failed = [keys, models].find((query) => query.isError && query.data === undefined)
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      {failed !== undefined && (
        <ErrorState title={t('failed')} onRetry={() => void failed.refetch()}>
          {failed.error?.message}
        </ErrorState>
      )}
      {failed === undefined && (keys.data === undefined || models.data === undefined || packages.isLoading) && (
        <Loading lines={6} />
      )}
      {keys.data?.length === 0 && <NoKeys />}
      {keys.data !== undefined && keys.data.length > 0 && models.data !== undefined && !packages.isLoading && (
        <Talk keys={keys.data} models={models.data} packages={packages.data} />
      )}
    </>
  )
}

type TalkProps = {
  readonly keys: readonly KeyView[]
  readonly models: readonly ModelView[]
  readonly packages: readonly PackageView[] | undefined
}

function Talk({ keys, packages, ...all }: TalkProps) {
  const { t } = useTranslation('try')
  const search = route.useSearch()
  const navigate = useNavigate()
  const [draft, setDraft] = useState<Draft>(() => firstDraft(t('example')))
  const [sent, setSent] = useState({ draft, isTyped: false })
  const { runs, isRunning, send, stop, clear } = useRuns()
  const key = keyOf(keys, search.key)
  const limit = limitingPackage(key, packages)
  const models = includedModels(limit, all.models)
  const asked = askedModels(models, search)
  useCommands(useMemo(() => (isRunning ? [{ id: 'stop', label: t('stop'), run: stop }] : []), [isRunning, stop, t]))
  const change = (changed: TrySearchChange) =>
    void navigate({ to: '/try', search: parseSearch({ ...search, ...changed }), replace: true, resetScroll: false })
  const answers = runs.map((run) => textOf(run))
  const goOn = () => {
    setDraft(goneOn(draft, sent.draft, answers))
    clear()
  }
  const canGoOn = !isRunning && answers[0] !== undefined && !isEmbedding(search.format ?? 'chat')
  const { given, resultsOf, forget } = useResults(runs, { isOpen: !isRunning && !sent.isTyped })
  const giveResults = () => {
    if (key === undefined) return
    const next = withResults(sent.draft, runs.map(callsOf), given)
    setSent({ draft: next, isTyped: false })
    forget()
    send(resultBodies(next, { asked, runs, key: key.id }))
  }
  const canGiveResults = !isRunning && !sent.isTyped && runs.some((run) => callsOf(run) !== undefined)
  const isTwo = asked.length > 1
  return (
    <div className={cn('grid items-start gap-4', !isTwo && 'lg:grid-cols-2')}>
      <Card title={t('request')}>
        <TryForm
          keys={keys}
          models={models}
          limitedBy={limit?.name}
          search={search}
          asked={asked}
          draft={draft}
          onChange={change}
          onDraft={setDraft}
          isRunning={isRunning}
          onSend={(bodies, { isTyped }) => {
            setSent({ draft: { ...draft, steps: [] }, isTyped })
            forget()
            clear()
            send(bodies)
          }}
          onStop={stop}
        />
      </Card>
      <div className={cn('grid items-start gap-4', isTwo && 'lg:grid-cols-2')}>
        <TryAnswer run={runs[0]} model={isTwo ? asked[0] : undefined} {...resultsOf(0)} />
        {isTwo && <TryAnswer run={runs[1]} model={asked[1]} {...resultsOf(1)} />}
        <Next onGive={canGiveResults ? giveResults : undefined} onAsk={canGoOn ? goOn : undefined} />
      </div>
    </div>
  )
}

type NextProps = { readonly onGive: (() => void) | undefined; readonly onAsk: (() => void) | undefined }

/** How it goes on: a model that called something waits for what comes of it. */
function Next({ onGive, onAsk }: NextProps) {
  const { t } = useTranslation('try')
  return (
    <>
      {onGive !== undefined && (
        <Button look="primary" className="justify-self-start" onClick={onGive}>
          <CornerDownRight aria-hidden />
          {t('tools.give')}
        </Button>
      )}
      {onAsk !== undefined && (
        <Button className="justify-self-start" onClick={onAsk}>
          <CornerDownRight aria-hidden />
          {t('goOn')}
        </Button>
      )}
    </>
  )
}

type Waiting = {
  readonly asked: readonly string[]
  readonly runs: readonly (Run | undefined)[]
  readonly key: string
}

/** A body for each model that called something; the others have answered. */
function resultBodies(draft: Draft, { asked, runs, key }: Waiting): (TryBody | undefined)[] {
  return asked.map((model, column) => {
    const run = runs[column]
    if (run === undefined || callsOf(run) === undefined) return undefined
    const { format } = run
    return { key, endpoint: format, request: draftRequest(draft, { format, model, column }) }
  })
}

/** What is typed as results of the calls, for each of the answers. */
function useResults(runs: readonly (Run | undefined)[], { isOpen }: { readonly isOpen: boolean }) {
  const [given, setGiven] = useState<readonly (readonly string[])[]>([])
  const forget = useCallback(() => setGiven([]), [])
  const onChange = (column: number, index: number, text: string) =>
    setGiven((before) =>
      runs.map((_, place) => {
        const texts = before[place] ?? []
        if (place !== column) return texts
        return Array.from({ length: Math.max(texts.length, index + 1) }, (_unused, at) =>
          at === index ? text : (texts[at] ?? ''),
        )
      }),
    )
  const resultsOf = (column: number) =>
    isOpen && callsOf(runs[column]) !== undefined
      ? {
          results: {
            texts: given[column] ?? [],
            onChange: (index: number, text: string) => onChange(column, index, text),
          },
        }
      : {}
  return { given, resultsOf, forget }
}

/** Two answers at most, which begin and end together. */
function useRuns() {
  const first = useTry()
  const other = useTry()
  const [sendFirst, sendOther] = [first.send, other.send]
  const [clearFirst, clearOther] = [first.clear, other.clear]
  const [stopFirst, stopOther] = [first.stop, other.stop]
  const send = useCallback(
    // One that has nothing to say keeps its answer.
    ([body, beside]: readonly (TryBody | undefined)[]) => {
      if (body !== undefined) sendFirst(body)
      if (beside !== undefined) sendOther(beside)
    },
    [sendFirst, sendOther],
  )
  const stop = useCallback(() => (stopFirst(), stopOther()), [stopFirst, stopOther])
  const clear = useCallback(() => (clearFirst(), clearOther()), [clearFirst, clearOther])
  const runs = [first.run, other.run]
  return { runs, isRunning: runs.some((run) => run?.state === 'sent' || run?.state === 'answering'), send, stop, clear }
}

/** The one that is chosen, and the one beside it where there is one. */
function askedModels(models: readonly ModelView[], search: TrySearch): readonly string[] {
  const format = search.format ?? 'chat'
  const model = modelOf(models, format, search.model)
  if (model === undefined) return []
  const isThere = search.beside !== undefined && modelOf(models, format, search.beside) === search.beside
  return isThere && search.beside !== model && !isEmbedding(format) ? [model, search.beside ?? ''] : [model]
}

/** What was called, once the answer is whole; undefined where nothing was. */
function callsOf(run: Run | undefined): Answer | undefined {
  const answer = run?.state === 'ended' ? run.answer : undefined
  return answer !== undefined && answer.calls.length > 0 && answer.error === undefined ? answer : undefined
}

/** What was answered, once it is whole; undefined for what nobody could go on from. */
function textOf(run: Run | undefined): string | undefined {
  if (callsOf(run) !== undefined) return undefined
  const text = run?.state === 'ended' ? run.answer?.text : undefined
  return text === '' ? undefined : text
}
