import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SecretsMoved } from '#contract/providers.ts'
import type { StatusView } from '#contract/status.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Confirm } from '#renderer/components/confirm.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'

/** Where the secrets of providers are kept, and how they follow when that changes. */
export function SecretsCard({ status }: { readonly status: StatusView | undefined }) {
  const { t } = useTranslation('settings')
  const [isAsked, setIsAsked] = useState(false)
  const move = useAction('moveSecrets', { showsOwnErrors: true, onDone: () => setIsAsked(false) })
  const start = () => {
    move.mutate({}, { onError: () => setIsAsked(false) })
  }
  return (
    <Card title={t('secrets.title')}>
      <p className="-mt-2 mb-3 text-muted">
        {t('secrets.text')} {status !== undefined && t('secrets.place', { place: status.secrets })}
      </p>
      <Button onClick={() => setIsAsked(true)}>{t('secrets.move')}</Button>
      <div aria-live="polite" className="mt-3 empty:hidden">
        <Problem text={move.error?.message} />
        {move.data !== undefined && <Moved answer={move.data} />}
      </div>
      <Confirm
        isOpen={isAsked}
        onOpenChange={setIsAsked}
        title={t('secrets.askTitle')}
        description={t('secrets.askText')}
        action={t('secrets.move')}
        isBusy={move.isPending}
        onConfirm={start}
      />
    </Card>
  )
}

function Moved({ answer }: { readonly answer: SecretsMoved }) {
  const { t } = useTranslation('settings')
  return (
    <>
      <p>{answer.moved.length === 0 ? t('secrets.nothing') : t('secrets.moved', { names: answer.moved.join(', ') })}</p>
      {answer.missing.length > 0 && (
        <p className="text-red">
          {t('secrets.missing', { names: answer.missing.join(', ') })}{' '}
          <Link to="/providers" className="underline">
            {t('secrets.toProviders')}
          </Link>
        </p>
      )}
    </>
  )
}
