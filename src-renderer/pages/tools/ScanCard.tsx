import { LoaderCircle } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Select } from '#renderer/components/input.tsx'
import { ScanResult } from '#renderer/pages/tools/ScanResult.tsx'

const DAYS = [7, 30, 90, 365]

/** What tools used by their own logs. It is read when somebody asks for it, and is gone with the page. */
export function ScanCard() {
  const { t } = useTranslation('tools')
  const [days, setDays] = useState(30)
  const scan = useAction('scanTools', { invalidates: [], showsOwnErrors: true })
  const stop = useAction('stopScan', { invalidates: [] })
  return (
    <Card
      title={t('scan.title')}
      className="mt-4"
      actions={
        <>
          <Select
            aria-label={t('scan.days')}
            value={days}
            onChange={({ target }) => setDays(Number(target.value))}
            className="w-40"
          >
            {DAYS.map((count) => (
              <option key={count} value={count}>
                {t('scan.lastDays', { count })}
              </option>
            ))}
          </Select>
          {scan.isPending ? (
            <Button onClick={() => stop.mutate({})}>{t('scan.stop')}</Button>
          ) : (
            <Button onClick={() => scan.mutate({ query: { days: String(days) } })}>
              {t(scan.data === undefined ? 'scan.start' : 'scan.again')}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p className="max-w-prose text-sm text-muted">{t('scan.text')}</p>
        <p role="status" className="flex items-center gap-2 text-sm empty:hidden">
          {scan.isPending && (
            <>
              <LoaderCircle aria-hidden className="size-4 animate-spin text-accent" />
              {t('scan.running')}
            </>
          )}
        </p>
        <Problem text={scan.error?.message} />
        {scan.data !== undefined && <ScanResult scan={scan.data} />}
      </div>
    </Card>
  )
}
