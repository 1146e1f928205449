import { MessageSquareText } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Badge, Status } from '#renderer/components/badge.tsx'
import { Card } from '#renderer/components/card.tsx'
import { CopyButton } from '#renderer/components/copy.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { EmptyState } from '#renderer/components/states.tsx'
import { Tabs } from '#renderer/components/tabs.tsx'
import { durationText } from '#renderer/data/numbers.ts'
import { ToolCalls, type Results } from '#renderer/pages/try/ToolCalls.tsx'
import { TryReceipt } from '#renderer/pages/try/TryReceipt.tsx'
import type { Run } from '#renderer/pages/try/use-try.ts'

/** What came back: as text, as it came, its headers, and what it cost. */
type TryAnswerProps = {
  /** Where results of what it calls are typed; undefined where none can be given. */
  readonly results?: Results
  readonly run: Run | undefined
  /** The model that answers, where another one answers beside it. */
  readonly model: string | undefined
}

export function TryAnswer({ run, model, results }: TryAnswerProps) {
  const { t } = useTranslation('try')
  const title = model === undefined ? t('answer') : t('answerOf', { model })
  const [tab, setTab] = useState<'answer' | 'raw' | 'headers'>('answer')
  if (run === undefined) {
    return (
      <Card title={title}>
        <EmptyState icon={MessageSquareText} title={t('noAnswer')}>
          {t('noAnswerHow')}
        </EmptyState>
      </Card>
    )
  }
  const tabs = [
    { value: 'answer' as const, label: t('tabs.answer'), content: <AnswerText run={run} results={results} /> },
    { value: 'raw' as const, label: t('tabs.raw'), content: <RawText run={run} /> },
    { value: 'headers' as const, label: t('tabs.headers'), content: <Headers run={run} /> },
  ]
  return (
    <Card title={title} actions={<State run={run} />}>
      {run.problem !== undefined && <Problem text={run.problem} />}
      <Tabs label={title} value={tab} onChange={setTab} tabs={tabs} />
      <TryReceipt run={run} />
    </Card>
  )
}

function State({ run }: { readonly run: Run }) {
  const { t, i18n } = useTranslation('try')
  const { head, state } = run
  const tone = state === 'ended' ? 'calm' : state === 'failed' ? 'lost' : state === 'stopped' ? 'low' : 'waiting'
  return (
    <span role="status" className="flex flex-wrap items-center gap-2 text-xs text-muted tabular-nums">
      {run.headMs !== undefined && (
        <span title={t('headWhy')}>{t('head', { time: durationText(run.headMs, i18n.language) })}</span>
      )}
      {run.firstMs !== undefined && <span>{t('first', { time: durationText(run.firstMs, i18n.language) })}</span>}
      {run.endMs !== undefined && <span>{t('end', { time: durationText(run.endMs, i18n.language) })}</span>}
      {state !== 'ended' && <Status tone={tone}>{t(`runs.${state}`)}</Status>}
      {head !== undefined && <Status tone={head.status < 400 ? 'live' : 'lost'}>{head.status}</Status>}
    </span>
  )
}

function AnswerText({ run, results }: { readonly run: Run; readonly results: Results | undefined }) {
  const { t } = useTranslation('try')
  const { answer } = run
  const isOver = run.state !== 'sent' && run.state !== 'answering'
  return (
    <div aria-live="polite" aria-busy={!isOver} className="flex min-h-24 flex-col gap-2">
      {answer?.error !== undefined && <Problem text={answer.error} />}
      {answer?.dimensions !== undefined && <p>{t('vector', { count: answer.dimensions })}</p>}
      {answer !== undefined && answer.text !== '' && (
        <p className="max-h-96 overflow-y-auto break-words whitespace-pre-wrap">{answer.text}</p>
      )}
      {answer !== undefined && answer.calls.length > 0 && <ToolCalls calls={answer.calls} results={results} />}
      {isOver && isEmpty(run) && <p className="text-muted">{t('noText')}</p>}
    </div>
  )
}

/** Whether there is nothing to read, so that the tab says to look at what came. */
function isEmpty({ answer, problem }: Run): boolean {
  if (problem !== undefined) return false
  if (answer === undefined) return true
  return (
    answer.text === '' && answer.calls.length === 0 && answer.error === undefined && answer.dimensions === undefined
  )
}

function RawText({ run }: { readonly run: Run }) {
  const { t } = useTranslation('try')
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center justify-between text-xs text-muted">
        {run.isCut ? <Badge tone="low">{t('cut')}</Badge> : <span>{t('rawHint')}</span>}
        <CopyButton text={run.raw} label={t('copyRaw')} />
      </div>
      <pre
        role="region"
        aria-label={t('tabs.raw')}
        tabIndex={0}
        className="max-h-96 min-h-24 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs break-all whitespace-pre-wrap"
      >
        {run.raw}
      </pre>
    </div>
  )
}

function Headers({ run }: { readonly run: Run }) {
  const { t } = useTranslation('try')
  const headers = run.head?.headers ?? []
  if (headers.length === 0) return <p className="min-h-24 text-muted">{t('noHeaders')}</p>
  return (
    <div role="region" aria-label={t('tabs.headers')} tabIndex={0} className="max-h-96 overflow-auto -outline-offset-2">
      <dl className="divide-y divide-line font-mono text-xs">
        {headers.map(([name, value]) => (
          <div key={name} className="grid gap-x-4 py-1.5 sm:grid-cols-2">
            <dt className="break-all text-muted">{name}</dt>
            <dd className="break-all">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
