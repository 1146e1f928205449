import { Info, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { cn } from '#renderer/components/cn.ts'
import { Money } from '#renderer/components/money.tsx'
import { isFinal, type PackageEffect } from '#renderer/data/package-change.ts'

type EffectsProps = { readonly effects: readonly PackageEffect[]; readonly keys: number }

/** What an edit does to the keys that the package has. */
export function Effects({ effects, keys }: EffectsProps) {
  const { t } = useTranslation('packages')
  if (keys === 0) return <p className="text-xs text-muted">{t('effect.noKeys')}</p>
  if (effects.length === 0) return <p className="text-xs text-muted">{t('effect.none', { count: keys })}</p>
  return (
    <section aria-live="polite" className="flex flex-col gap-2 rounded-md bg-sunken px-3 py-2">
      <h3 className="text-sm font-medium">{t('effect.title', { count: keys })}</h3>
      <ul className="flex flex-col gap-1.5">
        {effects.map((effect) => (
          <Effect key={effect.type} effect={effect} />
        ))}
      </ul>
    </section>
  )
}

function Effect({ effect }: { readonly effect: PackageEffect }) {
  const { t } = useTranslation('packages')
  const Shape = isFinal(effect) ? TriangleAlert : Info
  return (
    <li className={cn('flex items-start gap-2 text-xs', isFinal(effect) ? 'text-amber' : 'text-muted')}>
      <Shape aria-hidden className="mt-px size-3.5 shrink-0" />
      {effect.type === 'credits' ? (
        <span>
          {t(effect.differenceMicro > 0n ? 'effect.gain' : 'effect.loss')}{' '}
          <Money
            micro={effect.differenceMicro > 0n ? effect.differenceMicro : -effect.differenceMicro}
            detail="exact"
          />
          {'. '}
          {effect.differenceMicro < 0n && t('effect.lossHint')}
        </span>
      ) : (
        t(`effect.${effect.type}`)
      )}
    </li>
  )
}
