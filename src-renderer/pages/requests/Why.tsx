import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { RefusedView, WhyView } from '#contract/refused.ts'
import { Facts, type Fact } from '#renderer/components/facts.tsx'
import { Time } from '#renderer/components/time.tsx'
import { countText } from '#renderer/data/numbers.ts'
import { refusalWord } from '#renderer/data/receipt-words.ts'
import { outcomeOf } from '#renderer/data/request-cells.ts'

/** What happened and what to do about it, before anything else is told of a request. */
export function Why({ why }: { readonly why: WhyView }) {
  const { t } = useTranslation('requests')
  const { says, advice } = wordsOf(why, t)
  return (
    <section aria-label={t('why.title')} className="flex flex-col gap-1 rounded-md border border-line bg-raised p-3">
      <p className="font-medium wrap-anywhere">{says}</p>
      {advice !== undefined && <p className="text-sm text-muted">{advice}</p>}
      {!why.is_certain && <p className="text-sm text-muted">{t('why.perhaps')}</p>}
    </section>
  )
}

/** A refusal in the words that the client was told; a call in those of this catalogue, with the rest in its receipt. */
function wordsOf({ says, advice, refused, receipt }: WhyView, t: TFunction<'requests'>) {
  if (refused !== null) {
    const code = refusalWord(refused.code)
    return { says, advice: code === undefined ? refused.advice : t(`why.refused.${code}`) }
  }
  const outcome = receipt === null ? undefined : outcomeOf(receipt)
  if (outcome === undefined) return { says, advice: advice ?? undefined }
  return {
    says: t(`why.says.${outcome}`),
    advice: outcome === 'answered' ? undefined : t(`why.advice.${outcome}`),
  }
}

/** What is known of requests that were refused. */
export function RefusedFacts({ refused }: { readonly refused: RefusedView }) {
  const { t, i18n } = useTranslation('requests')
  const none = <span className="text-muted">–</span>
  const facts: Fact[] = [
    { name: t('refused.times'), value: countText(refused.count, i18n.language) },
    { name: t('refused.first'), value: <Time at={refused.at} /> },
    { name: t('refused.last'), value: <Time at={refused.last_at} /> },
    { name: t('columns.key'), value: refused.key ?? t('refused.nobody') },
    { name: t('facts.requested'), value: refused.model ?? none },
    { name: t('facts.endpoint'), value: refused.endpoint },
    { name: t('columns.status'), value: `${refused.status} · ${refused.code}` },
    ...(refused.limit === null
      ? []
      : [{ name: t('refused.limit'), value: `${refused.limit} (${refused.limit_scope ?? ''})` }]),
  ]
  return <Facts facts={facts} />
}
