import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { RefusedView } from '#contract/refused.ts'
import type { KeyView, UsageView } from '#contract/schemas.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { After } from '#renderer/components/after.tsx'
import { Button } from '#renderer/components/button.tsx'
import { DrawerSection } from '#renderer/components/facts.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Money } from '#renderer/components/money.tsx'
import { Loading } from '#renderer/components/states.tsx'
import { StatusMark } from '#renderer/components/status-mark.tsx'
import { Cell, HeadCell, Row, Table } from '#renderer/components/table.tsx'
import { Time } from '#renderer/components/time.tsx'
import { keyReference } from '#renderer/data/ledger-list.ts'

const EVERY_MS = 5000
const SHOWN = '5'

/** The latest calls of a key, each leading to its receipt. */
export function RecentRequests({ item }: { readonly item: KeyView }) {
  const { t } = useTranslation('keys')
  return (
    <DrawerSection
      title={t('recent.title')}
      actions={
        <Button asChild size="small" look="quiet">
          <Link to="/requests" search={{ key: keyReference(item) }}>
            {t('recent.all')}
          </Link>
        </Button>
      }
    >
      <RequestList item={item} />
    </DrawerSection>
  )
}

/** What the list is drawn from, for whoever waits until it is there. */
export function useRecent(item: KeyView) {
  const query = { key: item.id, limit: SHOWN }
  return {
    usage: useApi('usage', { query }, { everyMs: EVERY_MS }),
    refused: useApi('listRefused', { query }, { everyMs: EVERY_MS }),
  }
}

export function RequestList({ item }: { readonly item: KeyView }) {
  const { t } = useTranslation('keys')
  const { usage, refused } = useRecent(item)
  return (
    <>
      {usage.data === undefined && usage.isPending && <Loading lines={3} />}
      {usage.data === undefined && <Problem text={usage.error?.message} />}
      {usage.data?.usage.length === 0 && <p className="text-sm text-muted">{t('recent.none')}</p>}
      {usage.data !== undefined && usage.data.usage.length > 0 && <RequestTable items={usage.data.usage} />}
      <After isReady={!usage.isLoading}>
        <RefusedList rows={refused.data?.refused ?? []} />
      </After>
    </>
  )
}

/** The latest requests of the key that were refused; nothing where there are none. */
function RefusedList({ rows }: { readonly rows: readonly RefusedView[] }) {
  const { t } = useTranslation('keys')
  if (rows.length === 0) return null
  return (
    <Table aria-label={t('recent.refused')}>
      <tbody>
        {rows.map((row) => (
          <Row key={row.id}>
            <Cell className="px-1 align-top whitespace-nowrap">
              <Link
                to="/requests"
                search={{ open: row.last_id }}
                className="text-accent underline-offset-2 hover:underline"
              >
                <Time at={row.last_at} />
              </Link>
            </Cell>
            <Cell className="px-1 wrap-anywhere">
              {row.message}
              {row.count > 1 && <span className="text-muted"> × {row.count}</span>}
            </Cell>
            <Cell align="right" className="px-1 align-top">
              {row.status}
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  )
}

function RequestTable({ items }: { readonly items: readonly UsageView[] }) {
  const { t } = useTranslation('keys')
  return (
    <Table aria-label={t('recent.title')}>
      <thead>
        <tr>
          <HeadCell className="px-1">{t('recent.time')}</HeadCell>
          <HeadCell className="px-1">{t('recent.model')}</HeadCell>
          <HeadCell className="px-1">{t('recent.status')}</HeadCell>
          <HeadCell align="right" className="px-1">
            {t('recent.charge')}
          </HeadCell>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <Row key={item.id}>
            <Cell className="px-1 whitespace-nowrap">
              <Link
                to="/requests"
                search={{ open: item.id }}
                className="text-accent underline-offset-2 hover:underline"
              >
                <Time at={item.created_at} />
              </Link>
            </Cell>
            <Cell className="px-1 wrap-anywhere">{item.model}</Cell>
            <Cell className="px-1 whitespace-nowrap">
              <StatusMark request={item} t={t} />
            </Cell>
            <Cell align="right" className="px-1">
              <Money credits={item.charge_credits} />
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  )
}
