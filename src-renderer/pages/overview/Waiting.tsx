import { useTranslation } from 'react-i18next'
import type { WaitingView } from '#contract/waiting.ts'
import { Card } from '#renderer/components/card.tsx'
import { Cell, HeadCell, Row, Table } from '#renderer/components/table.tsx'
import { Time } from '#renderer/components/time.tsx'
import { countText } from '#renderer/data/numbers.ts'

type WaitingProps = { readonly waiting: WaitingView | undefined; readonly zone: string | undefined }
type Call = WaitingView['waiting'][number]

/** Who waits and why; nothing while nobody does. */
export function Waiting({ waiting, zone }: WaitingProps) {
  const { t } = useTranslation('overview')
  if (waiting === undefined || waiting.waiting_calls === 0) return null
  const { waiting: calls, waiting_calls: count } = waiting
  const title = t('waiting.title', { count })
  return (
    <Card title={title} isFlush>
      <div role="region" aria-label={title} tabIndex={0} className="max-h-96 overflow-auto -outline-offset-2">
        <WaitingTable title={title} calls={calls} zone={zone} />
      </div>
      <div className="flex flex-col gap-1 px-4 py-2 text-xs text-muted">
        {count > calls.length && <p>{t('waiting.first', { count: calls.length })}</p>}
        <Running running={waiting.running} zone={zone} />
      </div>
    </Card>
  )
}

type TableProps = { readonly title: string; readonly calls: readonly Call[]; readonly zone: string | undefined }

function WaitingTable({ title, calls, zone }: TableProps) {
  const { t } = useTranslation('overview')
  return (
    <Table aria-label={title} className="max-sm:table-fixed">
      <thead>
        <tr>
          <HeadCell className="max-sm:hidden">{t('waiting.since')}</HeadCell>
          <HeadCell>{t('waiting.key')}</HeadCell>
          <HeadCell className="max-md:hidden">{t('waiting.member')}</HeadCell>
          <HeadCell className="max-md:hidden">{t('waiting.model')}</HeadCell>
          <HeadCell>{t('waiting.why')}</HeadCell>
          <HeadCell align="right" className="max-sm:hidden">
            {t('waiting.place')}
          </HeadCell>
          <HeadCell className="max-sm:hidden">{t('waiting.goesOn')}</HeadCell>
        </tr>
      </thead>
      <tbody>
        {calls.map((call) => (
          <WaitingRow key={call.id} call={call} zone={zone} />
        ))}
      </tbody>
    </Table>
  )
}

function WaitingRow({ call, zone }: { readonly call: Call; readonly zone: string | undefined }) {
  const { t, i18n } = useTranslation('overview')
  const limit = call.limit === null ? '' : t(`waiting.limits.${call.limit}`)
  const inZone = zone === undefined ? {} : { zone }
  return (
    <Row>
      <Cell className="whitespace-nowrap max-sm:hidden">
        <Time at={call.since} {...inZone} />
      </Cell>
      <Cell className="max-w-40 truncate">{call.key}</Cell>
      <Cell className="max-w-40 truncate max-md:hidden">{call.member ?? '–'}</Cell>
      <Cell className="max-w-64 truncate max-md:hidden">{call.model}</Cell>
      <Cell title={call.id}>{t(`waiting.reasons.${call.reason}`, { limit, provider: call.provider ?? '' })}</Cell>
      <Cell align="right" className="max-sm:hidden">
        {countText(call.place, i18n.language)}
      </Cell>
      <Cell className="whitespace-nowrap max-sm:hidden">
        <Time at={call.expected_at} none={t('waiting.unknown')} {...inZone} />
      </Cell>
    </Row>
  )
}

type RunningProps = { readonly running: WaitingView['running']; readonly zone: string | undefined }

/** What those who wait wait for is often one of these. */
function Running({ running, zone }: RunningProps) {
  const { t, i18n } = useTranslation('overview')
  if (running.length === 0) return null
  return (
    <p className="flex flex-wrap gap-x-3">
      {t('waiting.running')}
      {running.slice(0, MAX_KEYS).map(({ key, calls, oldest_at: oldestAt }) => (
        <span key={key}>
          {t('waiting.runningKey', { key, calls: countText(calls, i18n.language) })}{' '}
          <Time at={oldestAt} {...(zone === undefined ? {} : { zone })} />
        </span>
      ))}
    </p>
  )
}

const MAX_KEYS = 10
