import { useTranslation } from 'react-i18next'
import type { OverviewView } from '#contract/reports.ts'
import { Time } from '#renderer/components/time.tsx'

/** Since when it runs, how busy it is, which version. That it runs at all says the line above every page. */
export function GatewayFacts({ gateway }: { readonly gateway: OverviewView['gateway'] }) {
  const { t } = useTranslation('overview')
  return (
    <span className="flex flex-wrap gap-x-3 tabular-nums">
      <span>
        {t('started')} <Time at={gateway.started_at} zone={gateway.time_zone} />
      </span>
      <span>{t('inFlight', { count: gateway.open_exchanges })}</span>
      <span className="max-sm:hidden">{t('version', { version: gateway.version })}</span>
    </span>
  )
}
