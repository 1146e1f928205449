import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { LedgerReport } from '#contract/schemas.ts'
import type { StatusView } from '#contract/status.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Status } from '#renderer/components/badge.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Facts } from '#renderer/components/facts.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Time } from '#renderer/components/time.tsx'
import { countText } from '#renderer/data/numbers.ts'

type LedgerCardProps = {
  readonly status: StatusView | undefined
  /** Goes up when the check is asked for elsewhere. */
  readonly asked: number
}

/** Recomputes every balance from its entries, on request. */
export function LedgerCard({ status, asked }: LedgerCardProps) {
  const { t } = useTranslation('settings')
  const verify = useAction('verifyLedger', { showsOwnErrors: true, invalidates: [] })
  const { mutate } = verify
  const done = useRef(0)
  useEffect(() => {
    if (asked === done.current) return
    done.current = asked
    mutate({})
  }, [asked, mutate])
  return (
    <Card title={t('ledger.title')}>
      <p className="-mt-2 mb-3 text-muted">{t('ledger.text')}</p>
      {status !== undefined && (
        <p className="mb-3 flex flex-wrap items-center gap-2">
          <Status tone={status.ledger === 'ok' ? 'live' : 'lost'}>{t(`ledger.states.${status.ledger}`)}</Status>
          <span className="text-xs text-muted">
            {t(`ledger.checks.${status.ledger_check}`)}{' '}
            {status.ledger_checked_at !== null && <Time at={status.ledger_checked_at} />}
          </span>
        </p>
      )}
      <Button isBusy={verify.isPending} onClick={() => verify.mutate({})}>
        {t('ledger.verify')}
      </Button>
      <div aria-live="polite">
        {verify.error !== null && (
          <div className="mt-3">
            <Problem text={verify.error.message} />
          </div>
        )}
        {verify.data !== undefined && !verify.isPending && <Result report={verify.data} />}
      </div>
    </Card>
  )
}

function Result({ report }: { readonly report: LedgerReport }) {
  const { t, i18n } = useTranslation('settings')
  const count = (value: number) => countText(value, i18n.language)
  return (
    <div className="mt-3 flex flex-col gap-3">
      <p>
        <Status tone={report.ok ? 'live' : 'lost'} className="h-auto py-0.5 whitespace-normal">
          {t(report.ok ? 'ledger.ok' : 'ledger.wrong')}
        </Status>
      </p>
      <Facts
        facts={[
          { name: t('ledger.keys'), value: count(report.keys) },
          { name: t('ledger.entries'), value: count(report.entries) },
          { name: t('ledger.holds'), value: count(report.open_holds) },
          { name: t('ledger.records'), value: count(report.usage_records) },
        ]}
      />
      {report.problems.length > 0 && (
        <ul className="max-h-60 list-disc overflow-y-auto pl-5 text-red">
          {report.problems.map((problem) => (
            <li key={problem} className="break-words">
              {problem}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
