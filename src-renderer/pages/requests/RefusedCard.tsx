import { useTranslation } from 'react-i18next'
import type { RefusedView } from '#contract/refused.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Card } from '#renderer/components/card.tsx'
import { Cell, HeadCell, Row, Table } from '#renderer/components/table.tsx'
import { Time } from '#renderer/components/time.tsx'
import { countText } from '#renderer/data/numbers.ts'
import { refusedQueryOf, type RequestFilter } from '#renderer/data/request-filter.ts'

const EVERY_MS = 5000
const SHOWN = '20'

type RefusedCardProps = { readonly filter: RequestFilter; readonly onOpen: (id: string) => void }

/** What was refused before it was a call, of the requests that the filter is about; nothing where nothing was. */
export function RefusedCard({ filter, onOpen }: RefusedCardProps) {
  const query = refusedQueryOf(filter)
  return query === undefined ? null : <Refused query={{ ...query, limit: SHOWN }} onOpen={onOpen} />
}

type RefusedProps = Pick<RefusedCardProps, 'onOpen'> & {
  readonly query: NonNullable<ReturnType<typeof refusedQueryOf>> & { readonly limit: string }
}

function Refused({ query, onOpen }: RefusedProps) {
  const { t } = useTranslation('requests')
  const { data } = useApi('listRefused', { query }, { everyMs: EVERY_MS, keepsPrevious: true })
  const rows = data?.refused ?? []
  if (rows.length === 0) return null
  return (
    <Card title={t('refused.title')} isFlush>
      <p className="px-4 pb-2 text-xs text-muted">{t('refused.hint')}</p>
      <RefusedTable rows={rows} onOpen={onOpen} />
    </Card>
  )
}

type RefusedTableProps = { readonly rows: readonly RefusedView[]; readonly onOpen: (id: string) => void }

function RefusedTable({ rows, onOpen }: RefusedTableProps) {
  const { t, i18n } = useTranslation('requests')
  return (
    <div role="region" aria-label={t('refused.title')} tabIndex={0} className="max-h-72 overflow-auto">
      <Table aria-label={t('refused.title')}>
        <thead className="sticky top-0 z-10 bg-surface">
          <tr>
            <HeadCell>{t('refused.last')}</HeadCell>
            <HeadCell align="right">{t('refused.times')}</HeadCell>
            <HeadCell className="max-sm:hidden">{t('columns.key')}</HeadCell>
            <HeadCell className="max-lg:hidden">{t('columns.status')}</HeadCell>
            <HeadCell>{t('refused.told')}</HeadCell>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.id}>
              <Cell className="whitespace-nowrap">
                <button
                  type="button"
                  className="text-accent underline-offset-2 hover:underline"
                  onClick={() => onOpen(row.last_id)}
                >
                  <Time at={row.last_at} />
                </button>
              </Cell>
              <Cell align="right">{countText(row.count, i18n.language)}</Cell>
              <Cell className="max-w-40 truncate max-sm:hidden">
                {row.key ?? <span className="text-muted">{t('refused.nobody')}</span>}
              </Cell>
              <Cell className="tabular-nums max-lg:hidden">{row.status}</Cell>
              <Cell className="min-w-64 wrap-anywhere max-lg:min-w-48 max-sm:min-w-32">{row.message}</Cell>
            </Row>
          ))}
        </tbody>
      </Table>
    </div>
  )
}
