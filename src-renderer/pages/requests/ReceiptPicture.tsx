import { Image } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ReceiptView } from '#contract/receipt.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { PictureDialog } from '#renderer/components/picture-dialog.tsx'
import { decimalText } from '#renderer/data/decimal.ts'
import { dateFormat } from '#renderer/data/formats.ts'
import { microOf, moneyText } from '#renderer/data/money.ts'
import { countText, durationText } from '#renderer/data/numbers.ts'
import type { Picture } from '#renderer/data/picture.ts'
import { chargeSum } from '#renderer/data/receipt.ts'

/** A receipt as a picture: what the call cost and of what, and not whose it was. */
export function ReceiptPicture({ receipt }: { readonly receipt: ReceiptView }) {
  const { t } = useTranslation('requests')
  const [shown, setShown] = useState<'receipt' | 'session'>()
  const close = () => setShown(undefined)
  const picture = usePicture(receipt)
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setShown('receipt')}>
          <Image aria-hidden />
          {t('picture.receipt')}
        </Button>
        {receipt.session !== null && (
          <Button onClick={() => setShown('session')}>
            <Image aria-hidden />
            {t('picture.session')}
          </Button>
        )}
      </div>
      {shown === 'receipt' && <PictureDialog picture={picture} fileName="farebox-receipt" onClose={close} />}
      {shown === 'session' && <SessionDialog receipt={receipt} onClose={close} />}
    </>
  )
}

/** As long as a report can be. */
const LONGEST = '400d'

function SessionDialog({ receipt, onClose }: { readonly receipt: ReceiptView; readonly onClose: () => void }) {
  const { t, i18n } = useTranslation('requests')
  const locale = i18n.language
  const atMs = Date.parse(receipt.created_at)
  const { data, error } = useApi('usageReport', {
    query: {
      key: receipt.key,
      session: receipt.session ?? '',
      from: LONGEST,
      rollup: 'day',
      points: 'none',
    },
  })
  // The call itself is in it, unless its key is gone or it is older than a report is long.
  const totals = data !== undefined && data.totals.requests > 0 ? data.totals : undefined
  const picture = useMemo(() => {
    const title = receipt.tool === null ? t('picture.oneSession') : t('picture.oneSessionOf', { tool: receipt.tool })
    if (totals === undefined) return { title, subtitle: '', amount: '…', facts: [] }
    const micro = microOf(totals.charge_credits) ?? 0n
    const input = totals.input_tokens + totals.cache_read_tokens + totals.cache_write_tokens
    return {
      title,
      subtitle: dateFormat(locale, { dateStyle: 'long' }).format(atMs),
      amount: `${moneyText(micro, locale, 'exact')} ${t('common:credits')}`,
      facts: [
        { name: t('title'), value: countText(totals.requests, locale) },
        { name: t('picture.input'), value: countText(input, locale) },
        { name: t('picture.cached'), value: countText(totals.cache_read_tokens, locale) },
        { name: t('picture.output'), value: countText(totals.output_tokens, locale) },
      ],
    }
  }, [atMs, locale, receipt.tool, t, totals])
  const isMissing = error !== null || (data !== undefined && totals === undefined)
  return (
    <PictureDialog picture={picture} fileName="farebox-session" onClose={onClose}>
      {isMissing && <p className="mb-3 text-sm text-amber">{t('picture.noSession')}</p>}
    </PictureDialog>
  )
}

function usePicture(receipt: ReceiptView): Picture {
  const { t, i18n } = useTranslation('requests')
  return useMemo(() => {
    const locale = i18n.language
    const sum = chargeSum(receipt)
    return {
      title: receipt.model,
      subtitle: dateFormat(locale, { dateStyle: 'long', timeStyle: 'short' }).format(Date.parse(receipt.created_at)),
      amount: `${moneyText(microOf(receipt.charge_credits) ?? 0n, locale, 'exact')} ${t('common:credits')}`,
      facts: [
        ...(sum?.lines ?? [])
          .filter(({ amount }) => amount.units !== 0n)
          .map(({ type, unit, count, amount }) => ({
            name: [unit ?? t(`lines.${type}`), ...(count === undefined ? [] : [countText(count, locale)])].join(' · '),
            value: decimalText(amount, sum?.places ?? 2, locale),
          })),
        { name: t('columns.duration'), value: durationText(receipt.duration_ms, locale) },
      ],
    }
  }, [i18n.language, receipt, t])
}
