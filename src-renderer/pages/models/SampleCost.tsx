import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Input } from '#renderer/components/input.tsx'
import { Money } from '#renderer/components/money.tsx'
import { readTokens } from '#renderer/data/model-form.ts'
import {
  callCost,
  PRICE_CLASSES,
  SAMPLE_CALL,
  type CallTokens,
  type PriceClass,
  type PriceMicro,
} from '#renderer/data/pricing.ts'

type SampleCostProps = { readonly before: PriceMicro | undefined; readonly now: PriceMicro | undefined }

/** What a call of so many tokens would cost, before and at the price that is typed. */
export function SampleCost({ before, now }: SampleCostProps) {
  const { t } = useTranslation('models')
  const [texts, setTexts] = useState<Readonly<Record<PriceClass, string>>>({
    input: String(SAMPLE_CALL.input),
    output: String(SAMPLE_CALL.output),
    cache_read: String(SAMPLE_CALL.cache_read),
    cache_write: String(SAMPLE_CALL.cache_write),
  })
  const tokens = tokensOf(texts)
  const cost = (price: PriceMicro | undefined) =>
    tokens === undefined || price === undefined ? undefined : callCost(tokens, price)
  return (
    <section aria-label={t('sample.title')} className="flex flex-col gap-3 rounded-md bg-sunken p-3">
      <p className="text-sm font-medium">{t('sample.title')}</p>
      <div className="grid grid-cols-4 gap-2 max-sm:grid-cols-2">
        {PRICE_CLASSES.map((name) => (
          <label key={name} className="flex flex-col gap-1 text-xs text-muted">
            {t(`class.${name}`)}
            <Input
              inputMode="numeric"
              maxLength={12}
              value={texts[name]}
              onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
              className="px-2 text-right tabular-nums"
            />
          </label>
        ))}
      </div>
      <p role="status" className="flex flex-wrap items-baseline justify-between gap-2 text-sm">
        <span>
          {t('sample.costs')} <Money micro={cost(now)} detail="exact" className="text-base font-semibold" />
        </span>
        {before !== undefined && (
          <span className="text-muted">
            {t('sample.before')} <Money micro={cost(before)} detail="exact" />
          </span>
        )}
      </p>
    </section>
  )
}

function tokensOf(texts: Readonly<Record<PriceClass, string>>): CallTokens | undefined {
  const of = (name: PriceClass) => (/^0*$/.test(texts[name].trim()) ? 0 : readTokens(texts[name]))
  const [input, output, cacheRead, cacheWrite] = [of('input'), of('output'), of('cache_read'), of('cache_write')]
  if (input === undefined || output === undefined || cacheRead === undefined || cacheWrite === undefined)
    return undefined
  return { input, output, cache_read: cacheRead, cache_write: cacheWrite }
}
