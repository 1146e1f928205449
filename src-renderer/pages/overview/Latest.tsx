import { Link } from '@tanstack/react-router'
import { Inbox } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { UsageView } from '#contract/schemas.ts'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Money } from '#renderer/components/money.tsx'
import { EmptyState, Loading } from '#renderer/components/states.tsx'
import { StatusMark } from '#renderer/components/status-mark.tsx'
import { Cell, HeadCell, Row, Table } from '#renderer/components/table.tsx'
import { Time } from '#renderer/components/time.tsx'
import { Tokens } from '#renderer/components/tokens.tsx'
import { durationText } from '#renderer/data/numbers.ts'

type LatestProps = { readonly usage: readonly UsageView[] | undefined; readonly zone: string | undefined }

/** The last few requests as they arrive, each with a way to its receipt. */
export function Latest({ usage, zone }: LatestProps) {
  const { t } = useTranslation('overview')
  return (
    <Card
      title={t('latest.title')}
      isFlush
      actions={
        <Button asChild size="small" look="quiet">
          <Link to="/requests">{t('latest.all')}</Link>
        </Button>
      }
    >
      {usage === undefined ? <Loading lines={5} className="p-4" /> : <LatestTable usage={usage} zone={zone} />}
    </Card>
  )
}

function LatestTable({ usage, zone }: { readonly usage: readonly UsageView[]; readonly zone: string | undefined }) {
  const { t } = useTranslation('overview')
  if (usage.length === 0) {
    return (
      <EmptyState icon={Inbox} title={t('latest.none')}>
        {t('latest.how')}
      </EmptyState>
    )
  }
  return (
    <div role="region" aria-label={t('latest.title')} tabIndex={0} className="overflow-x-auto pb-1 -outline-offset-2">
      <Table aria-label={t('latest.title')} className="max-sm:table-fixed">
        <thead>
          <tr>
            <HeadCell className="max-sm:hidden">{t('latest.time')}</HeadCell>
            <HeadCell className="max-sm:hidden">{t('latest.key')}</HeadCell>
            <HeadCell>{t('latest.model')}</HeadCell>
            <HeadCell align="right" className="max-[1279px]:hidden">
              {t('latest.tokens')}
            </HeadCell>
            <HeadCell align="right" className="max-sm:w-20">
              {t('latest.cost')}
            </HeadCell>
            <HeadCell align="right" className="max-[1279px]:hidden">
              {t('latest.duration')}
            </HeadCell>
            <HeadCell className="max-sm:w-20">{t('latest.status')}</HeadCell>
          </tr>
        </thead>
        <tbody>
          {usage.map((one) => (
            <LatestRow key={one.id} usage={one} zone={zone} />
          ))}
        </tbody>
      </Table>
    </div>
  )
}

function LatestRow({ usage, zone }: { readonly usage: UsageView; readonly zone: string | undefined }) {
  const { t, i18n } = useTranslation('overview')
  const when = (
    <Link to="/requests" search={{ open: usage.id }} className="rounded-sm hover:underline">
      <Time at={usage.created_at} {...(zone === undefined ? {} : { zone })} />
    </Link>
  )
  return (
    <Row className="hover:bg-sunken">
      <Cell className="whitespace-nowrap max-sm:hidden">{when}</Cell>
      <Cell className="max-w-32 truncate max-sm:hidden lg:max-w-40">{usage.key}</Cell>
      {/* What the other columns leave; long names are cut before those are. */}
      <Cell className="truncate sm:w-full sm:max-w-0 sm:min-w-24">
        <span title={usage.upstream_model ?? ''}>{usage.model}</span>
        {usage.provider !== null && <span className="text-muted max-sm:hidden"> → {usage.provider}</span>}
        <span className="block truncate text-xs text-muted sm:hidden">
          {when} · {usage.key}
        </span>
      </Cell>
      <Cell align="right" className="whitespace-nowrap max-[1279px]:hidden">
        <Tokens count={inputOf(usage)} /> / <Tokens count={usage.output_tokens} />
      </Cell>
      <Cell align="right">
        <Money credits={usage.charge_credits} hasUnit={false} />
      </Cell>
      <Cell align="right" className="whitespace-nowrap max-[1279px]:hidden">
        {durationText(usage.duration_ms, i18n.language)}
      </Cell>
      <Cell>
        <StatusMark request={usage} t={t} />
      </Cell>
    </Row>
  )
}

/** All of the input; unknown where the uncached part is. */
function inputOf(usage: UsageView): number | null {
  const { input_tokens: input, cache_read_tokens: read, cache_write_tokens: written } = usage
  return input === null ? null : input + (read ?? 0) + (written ?? 0)
}
