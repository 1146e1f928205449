import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isNearAddress, type FareboxLink } from '#contract/link.ts'
import { Card } from '#renderer/components/card.tsx'
import { Caution } from '#renderer/components/caution.tsx'
import { CopyField } from '#renderer/components/copy.tsx'
import { Facts } from '#renderer/components/facts.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Fingerprint } from '#renderer/components/fingerprint.tsx'
import { Input } from '#renderer/components/input.tsx'

type InviteLink = Extract<FareboxLink, { action: 'accept-invite' }>

/** An invite to another gateway. Its code is typed here, and the address that comes of it is opened by hand: this gateway asks nobody. */
export function InvitePreview({ proposed: { address, fingerprint } }: { readonly proposed: InviteLink }) {
  const { t } = useTranslation('link')
  const [code, setCode] = useState('')
  const isCode = /^[\w-]{1,100}$/.test(code.trim())
  return (
    <Card title={t('invite.title')}>
      <div className="flex flex-col gap-4">
        <Facts
          facts={[
            { name: t('invite.address'), value: <code className="font-mono text-xs break-all">{address}</code> },
            ...(fingerprint === undefined
              ? []
              : [{ name: t('invite.fingerprint'), value: <Fingerprint text={fingerprint} /> }]),
          ]}
        />
        {isNearAddress(address) && <Caution>{t('invite.near')}</Caution>}
        <p className="text-sm text-muted">{t('invite.text')}</p>
        {fingerprint !== undefined && <p className="text-sm text-muted">{t('invite.compare')}</p>}
        <Field label={t('invite.code')} hint={t('invite.codeHint')}>
          {(control) => (
            <Input
              {...control}
              type="password"
              autoComplete="off"
              maxLength={100}
              value={code}
              onChange={(event) => setCode(event.target.value)}
            />
          )}
        </Field>
        {isCode && <CopyField label={t('invite.open')} text={`${address}/#invite=${code.trim()}`} />}
      </div>
    </Card>
  )
}
