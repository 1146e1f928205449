import { useTranslation } from 'react-i18next'
import { SignedOutFrame } from '#renderer/app/signed-out-frame.tsx'
import { inviteCode } from '#renderer/app/ticket.ts'
import { Card } from '#renderer/components/card.tsx'
import { useDocumentTitle } from '#renderer/components/use-document-title.ts'
import { AcceptForm } from '#renderer/pages/invite/AcceptForm.tsx'

/** Where the link of an invite leads. Until its code is proved it shows nothing but where somebody is. */
export function InvitePage() {
  const { t } = useTranslation('invite')
  const code = inviteCode()
  useDocumentTitle(t('title'))
  return (
    <SignedOutFrame>
      <Card>
        <p className="mb-4 break-words">{t('invited', { host: location.host })}</p>
        {code === undefined ? <p role="alert">{t('noCode')}</p> : <AcceptForm code={code} />}
      </Card>
      <p className="text-xs text-muted">{t('hint')}</p>
    </SignedOutFrame>
  )
}
