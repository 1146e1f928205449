import { useTranslation } from 'react-i18next'

/** The head of a column of prices, with their unit. `hint` is the unit in words. */
export function PriceHead({ name, hint }: { readonly name: string; readonly hint: string }) {
  const { t } = useTranslation('common')
  return (
    <span title={hint}>
      {name} <span className="font-normal whitespace-nowrap max-[1279px]:block">{t('unitPerMillion')}</span>
    </span>
  )
}
