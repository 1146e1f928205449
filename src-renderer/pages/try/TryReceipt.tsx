import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { ReceiptView } from '#contract/receipt.ts'
import { Facts } from '#renderer/components/facts.tsx'
import { Money } from '#renderer/components/money.tsx'
import { Skeleton } from '#renderer/components/states.tsx'
import { Tokens } from '#renderer/components/tokens.tsx'
import { countText } from '#renderer/data/numbers.ts'
import { speedOf } from '#renderer/data/try-talk.ts'
import type { Run } from '#renderer/pages/try/use-try.ts'

/** What the call cost; there is a place for it before it is known. */
export function TryReceipt({ run }: { readonly run: Run }) {
  const { t } = useTranslation('try')
  const { head, receipt } = run
  if (head === undefined) return null
  return (
    <section aria-label={t('receipt.title')} className="mt-4 min-h-22 border-t border-line pt-4">
      {receipt === undefined && (
        <div className="flex flex-col gap-2">
          <Skeleton className="w-2/3" />
          <Skeleton className="w-1/2" />
        </div>
      )}
      {receipt === 'none' && <p className="text-muted">{t('receipt.none')}</p>}
      {receipt === 'late' && <p className="text-muted">{t('receipt.late')}</p>}
      {typeof receipt === 'object' && <ReceiptFacts receipt={receipt} run={run} />}
    </section>
  )
}

function ReceiptFacts({ receipt, run }: { readonly receipt: ReceiptView; readonly run: Run }) {
  const { t, i18n } = useTranslation('try')
  const speed = speedOf(receipt.tokens.output.tokens, run.firstMs, run.endMs)
  const { tokens } = receipt
  const route = receipt.provider === null ? '–' : `${receipt.provider} → ${receipt.upstream_model ?? '–'}`
  const read = tokens.cache_read.tokens
  return (
    <>
      <Facts
        facts={[
          { name: t('receipt.charge'), value: <Money credits={receipt.charge_credits} detail="exact" /> },
          {
            name: t('receipt.tokens'),
            value: (
              <>
                <Tokens count={tokens.input.tokens} isExact /> / <Tokens count={tokens.output.tokens} isExact />
              </>
            ),
          },
          ...(read === null || read === 0
            ? []
            : [{ name: t('receipt.cache'), value: <Tokens count={read} isExact /> }]),
          ...(speed === undefined
            ? []
            : [
                {
                  name: t('receipt.speed'),
                  value: t('receipt.perSecond', { speed: countText(Math.round(speed), i18n.language) }),
                },
              ]),
          { name: t('receipt.target'), value: route },
        ]}
      />
      <p className="mt-3">
        <Link to="/requests" search={{ open: receipt.id }} className="text-accent underline">
          {t('receipt.open')}
        </Link>
      </p>
    </>
  )
}
