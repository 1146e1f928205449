import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { InviteCard } from '#contract/invites.ts'
import { Button } from '#renderer/components/button.tsx'
import { Caution } from '#renderer/components/caution.tsx'
import { CopyButton, CopyField } from '#renderer/components/copy.tsx'
import { Dialog } from '#renderer/components/dialog.tsx'
import { Facts } from '#renderer/components/facts.tsx'
import { Fingerprint } from '#renderer/components/fingerprint.tsx'
import { QrCode } from '#renderer/components/qr-code.tsx'
import { exactText } from '#renderer/data/times.ts'

type InviteMadeProps = { readonly card: InviteCard; readonly onClose: () => void }

/** The one time that an invite's link is seen. Closing by accident is asked about once. */
export function InviteMade({ card, onClose }: InviteMadeProps) {
  const { t } = useTranslation('members')
  const [isWarned, setIsWarned] = useState(false)
  return (
    <Dialog
      isOpen
      onOpenChange={() => (isWarned ? onClose() : setIsWarned(true))}
      title={t('invite.made', { name: card.member })}
      description={t('invite.how')}
      footer={
        <Button look="primary" onClick={onClose}>
          {t('invite.close')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <QrCode content={card.link} label={t('invite.code')} className="mx-auto w-52 max-w-full" />
        <CopyField label={t('invite.link')} text={card.link} />
        <Place card={card} />
        {isWarned && (
          <p role="alert" className="text-sm text-red">
            {t('invite.warned')}
          </p>
        )}
      </div>
    </Dialog>
  )
}

/** Where the link leads, until when, and how its opener knows that they are at the right place. */
function Place({ card: { fingerprint, address, expires_at } }: Pick<InviteMadeProps, 'card'>) {
  const { t, i18n } = useTranslation('members')
  const facts = [
    { name: t('invite.address'), value: address },
    { name: t('invite.until'), value: exactText(Date.parse(expires_at), i18n.language) },
  ]
  if (fingerprint === null) {
    return (
      <>
        <Facts facts={facts} />
        <Caution>{t('invite.noLan')}</Caution>
      </>
    )
  }
  return (
    <>
      <Facts facts={[...facts, { name: t('invite.fingerprint'), value: <Fingerprint text={fingerprint} /> }]} />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="min-w-0 flex-1 basis-60 text-xs text-muted">{t('invite.compare')}</p>
        <CopyButton hasWord label={t('invite.copyFingerprint')} text={fingerprint} />
      </div>
    </>
  )
}
