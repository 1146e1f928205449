import { useTranslation } from 'react-i18next'
import type { finePrices } from '#renderer/data/price-form.ts'
import { fineLines } from '#renderer/data/fine-prices.ts'

type FinePricesProps = { readonly fine: ReturnType<typeof finePrices> }

/** What a price names beside its four classes, to be read: it is set by a command or a file. */
export function FinePrices({ fine }: FinePricesProps) {
  const { t } = useTranslation('models')
  const lines = fineLines(fine)
  if (lines.length === 0) return null
  return (
    <section className="flex flex-col gap-1 text-sm">
      <h3 className="text-xs text-muted">{t('fine.title')}</h3>
      <ul className="flex flex-col gap-0.5">
        {lines.map((line) => (
          <li key={line} className="break-words font-mono text-xs">
            {line}
          </li>
        ))}
      </ul>
      <p className="text-xs text-muted">{t('fine.text')}</p>
    </section>
  )
}
