import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '#renderer/api/session.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { isFirstRunSkipped, skipFirstRun } from '#renderer/data/first-run.ts'
import { isDemo } from '#renderer/data/demo.ts'

/** For administrators while nothing but the demo is set up, until they say that they do not want it. */
export function useFirstRunOffer() {
  const isAdministrator = useSession()?.role === 'administrator'
  const [isSkipped, setIsSkipped] = useState(() => isFirstRunSkipped(localStorage))
  const providers = useApi('listProviders', {}, { isEnabled: isAdministrator && !isSkipped })
  const isBare = providers.data?.every(isDemo) ?? false
  return {
    isKnown: !providers.isLoading,
    isOffered: isAdministrator && isBare && !isSkipped,
    skip: () => {
      skipFirstRun(localStorage)
      setIsSkipped(true)
    },
  }
}

export function FirstRunOffer({ isOffered, skip }: Omit<ReturnType<typeof useFirstRunOffer>, 'isKnown'>) {
  const { t } = useTranslation('overview')
  if (!isOffered) return null
  return (
    <section
      aria-label={t('firstRun.title')}
      className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg border border-accent bg-accent-soft p-4"
    >
      <div className="min-w-60 flex-1">
        <h2 className="font-semibold">{t('firstRun.title')}</h2>
        <p className="text-muted">{t('firstRun.text')}</p>
      </div>
      <div className="flex gap-2">
        <Button onClick={skip} look="quiet">
          {t('firstRun.skip')}
        </Button>
        <Button asChild look="primary">
          <Link to="/first-run">{t('firstRun.start')}</Link>
        </Button>
      </div>
    </section>
  )
}
