import { BookCheck, CircleCheck, OctagonX, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { LedgerReport } from '#contract/schemas.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Button, IconButton } from '#renderer/components/button.tsx'
import { cn } from '#renderer/components/cn.ts'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { countText } from '#renderer/data/numbers.ts'

/** It reads and changes nothing, but runs only when it is asked for: with long books it takes a while. */
export function useVerification() {
  return useAction('verifyLedger', { invalidates: [], showsOwnErrors: true })
}

export function VerifyButton({ isBusy, onClick }: { readonly isBusy: boolean; readonly onClick: () => void }) {
  const { t } = useTranslation('ledger')
  return (
    <Button isBusy={isBusy} onClick={onClick}>
      {!isBusy && <BookCheck aria-hidden />}
      {t(isBusy ? 'verify.busy' : 'verify.action')}
    </Button>
  )
}

type VerifyResultProps = {
  readonly verification: {
    readonly data: LedgerReport | undefined
    readonly error: Error | null
    readonly reset: () => void
  }
}

export function VerifyResult({ verification: { data, error, reset } }: VerifyResultProps) {
  const { t } = useTranslation('ledger')
  if (data === undefined && error === null) return null
  const Shape = data?.ok === true ? CircleCheck : OctagonX
  return (
    <div
      role="status"
      className={cn(
        'mb-4 flex items-start gap-3 rounded-lg border border-line px-4 py-3 text-sm',
        data?.ok === true ? 'bg-accent-soft text-accent' : 'bg-red-soft text-red',
      )}
    >
      {data !== undefined && <Shape aria-hidden className="mt-0.5 size-4 shrink-0" />}
      <div className="min-w-0 flex-1">
        {data === undefined ? <Problem text={error?.message} /> : <Report report={data} />}
      </div>
      <IconButton label={t('verify.hide')} size="small-icon" onClick={reset}>
        <X aria-hidden />
      </IconButton>
    </div>
  )
}

function Report({ report }: { readonly report: LedgerReport }) {
  const { t, i18n } = useTranslation('ledger')
  const count = (value: number) => countText(value, i18n.language)
  return (
    <>
      <p className="font-medium">{t(report.ok ? 'verify.ok' : 'verify.wrong', { count: report.problems.length })}</p>
      <p className="text-xs tabular-nums">
        {t('verify.read', {
          keys: count(report.keys),
          entries: count(report.entries),
          records: count(report.usage_records),
          holds: count(report.open_holds),
        })}
      </p>
      {report.problems.length > 0 && (
        <ul className="mt-2 max-h-48 list-disc overflow-y-auto pl-4 text-xs break-words">
          {report.problems.map((problem, index) => (
            <li key={`${index} ${problem}`}>{problem}</li>
          ))}
        </ul>
      )}
    </>
  )
}
