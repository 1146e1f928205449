import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SessionView } from '#contract/members.ts'
import { forgetSessionToken } from '#renderer/api/session-token.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Confirm } from '#renderer/components/confirm.tsx'
import { Facts } from '#renderer/components/facts.tsx'
import { Time } from '#renderer/components/time.tsx'
import { PasswordDialog } from '#renderer/pages/settings/PasswordDialog.tsx'

/** Who is signed in here, until when, and with which password. */
export function Account({ session }: { readonly session: SessionView }) {
  const { t } = useTranslation('settings')
  const [isPasswordOpen, setIsPasswordOpen] = useState(false)
  const [isEndOpen, setIsEndOpen] = useState(false)
  const end = useEndEverywhere()
  return (
    <Card title={t('account.title')}>
      <Facts
        facts={[
          { name: t('account.name'), value: session.name ?? t('common:owner') },
          { name: t('account.role'), value: t(`account.roles.${session.role}`) },
          { name: t('account.since'), value: <Time at={session.signed_in_at} /> },
          { name: t('account.until'), value: <Time at={session.expires_at} /> },
        ]}
      />
      <div className="mt-4 flex flex-wrap gap-2">
        {session.name !== null && <Button onClick={() => setIsPasswordOpen(true)}>{t('password.change')}</Button>}
        <Button look="danger" onClick={() => setIsEndOpen(true)}>
          {t('account.end')}
        </Button>
      </div>
      {session.name === null && <p className="mt-3 text-xs text-muted">{t('account.noPassword')}</p>}
      {isPasswordOpen && <PasswordDialog onClose={() => setIsPasswordOpen(false)} />}
      <Confirm
        isOpen={isEndOpen}
        onOpenChange={setIsEndOpen}
        title={t('account.endTitle')}
        description={t('account.endText')}
        action={t('account.end')}
        isBusy={end.isPending}
        onConfirm={() => end.mutate({ query: { everywhere: 'true' } })}
      />
    </Card>
  )
}

function useEndEverywhere() {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  return useAction('signOut', {
    invalidates: [],
    onDone: () => {
      forgetSessionToken()
      queryClient.clear()
      void navigate({ to: '/sign-in' })
    },
  })
}
