import { useTranslation } from 'react-i18next'
import type { InviteView } from '#contract/invites.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Time } from '#renderer/components/time.tsx'

type OpenInvitesProps = { readonly invites: readonly InviteView[] | undefined }

/** Who was invited and has not come yet. Nothing where there is nobody. */
export function OpenInvites({ invites = [] }: OpenInvitesProps) {
  const { t } = useTranslation('members')
  const withdraw = useAction('withdrawInvite', { done: t('done.withdraw') })
  if (invites.length === 0) return null
  return (
    <Card title={t('invite.open')} className="mt-4">
      <ul className="-my-2 divide-y divide-line">
        {invites.map(({ id, member, expires_at }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
            <span className="min-w-0 break-words">
              <span className="font-medium">{member}</span>{' '}
              <span className="text-sm text-muted">
                {t('invite.ends')} <Time at={expires_at} />
              </span>
            </span>
            <Button
              size="small"
              aria-label={t('invite.withdrawOf', { name: member })}
              isBusy={withdraw.isPending && withdraw.variables.id === id}
              onClick={() => withdraw.mutate({ id })}
            >
              {t('invite.withdraw')}
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  )
}
