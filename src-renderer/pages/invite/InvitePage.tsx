import { useTranslation } from 'react-i18next'
import { Mark } from '#renderer/app/navigation.tsx'
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
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center gap-4 p-4">
      <h1 className="flex items-center justify-center gap-2 text-lg font-semibold">
        <Mark />
        Farebox
      </h1>
      <Card>
        <p className="mb-4 break-words">{t('invited', { host: location.host })}</p>
        {code === undefined ? <p role="alert">{t('noCode')}</p> : <AcceptForm code={code} />}
      </Card>
      <p className="text-xs text-muted">{t('hint')}</p>
    </main>
  )
}
