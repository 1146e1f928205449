import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyCreated } from '#contract/schemas.ts'
import { useSession } from '#renderer/api/session.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { PageHeader } from '#renderer/components/page-header.tsx'
import { isOverLan } from '#renderer/data/over-lan.ts'
import { systemOf } from '#renderer/data/trust.ts'
import { FirstKey } from '#renderer/pages/welcome/FirstKey.tsx'
import { Tools } from '#renderer/pages/welcome/Tools.tsx'
import { TrustCard } from '#renderer/pages/welcome/TrustCard.tsx'

/** What a new member needs once: a key, a certificate that is trusted, and lines for their tools. */
export function WelcomePage() {
  const { t } = useTranslation('welcome')
  const session = useSession()
  const [system, setSystem] = useState(() => systemOf(navigator.userAgent))
  // The value of a new key is only ever here: a page that is opened again does not have it any more.
  const [made, setMade] = useState<KeyCreated>()
  const certificate = useApi('showLanCertificate', {}, { isEnabled: isOverLan() }).data
  // A certificate from an authority is trusted already.
  const isPinned = certificate?.source === 'farebox'
  return (
    <div className="mx-auto flex max-w-3xl flex-col gap-4">
      <PageHeader
        title={t('title', { name: session?.name ?? '' })}
        description={t('text', { name: session?.name ?? '' })}
      />
      <Card title={t('key.title')}>
        <FirstKey made={made} onMade={setMade} />
      </Card>
      {isPinned && <TrustCard certificate={certificate} system={system} onSystem={setSystem} />}
      <Card title={t('tools.title')}>
        <Tools made={made} system={system} isPinned={isPinned} />
      </Card>
      <Button asChild look="primary" className="self-start">
        <Link to="/overview">{t('done')}</Link>
      </Button>
    </div>
  )
}
