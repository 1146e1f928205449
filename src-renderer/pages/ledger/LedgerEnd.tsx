import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { countText } from '#renderer/data/numbers.ts'

type LedgerEndProps = {
  readonly ledger: {
    readonly hasNextPage: boolean
    readonly isFetchNextPageError: boolean
    readonly isFull: boolean
    readonly fetchNextPage: () => Promise<unknown>
  }
  readonly count: number
}

/** Under the list: how much of it has been read, and what keeps it from going on. */
export function LedgerEnd({ ledger, count }: LedgerEndProps) {
  const { t, i18n } = useTranslation('ledger')
  const text = countText(count, i18n.language)
  return (
    <p role="status" className="flex min-h-9 items-center gap-2 border-t border-line px-4 py-1 text-xs text-muted">
      {ledger.isFetchNextPageError ? (
        <>
          {t('end.failed', { text })}
          <Button size="small" onClick={() => void ledger.fetchNextPage()}>
            {t('end.retry')}
          </Button>
        </>
      ) : ledger.isFull ? (
        t('end.full', { text })
      ) : ledger.hasNextPage ? (
        t('end.more', { text })
      ) : (
        t('end.all', { text, count })
      )}
    </p>
  )
}
