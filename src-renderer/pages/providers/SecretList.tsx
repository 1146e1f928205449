import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ProviderSecretView, ProviderView } from '#contract/providers.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Status, type Tone } from '#renderer/components/badge.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Confirm } from '#renderer/components/confirm.tsx'
import { Money } from '#renderer/components/money.tsx'
import { Time } from '#renderer/components/time.tsx'
import { AddSecret } from '#renderer/pages/providers/AddSecret.tsx'

const TONES = { ok: 'live', busy: 'low', refused: 'lost' } as const satisfies Record<ProviderSecretView['state'], Tone>
/** Health and use change with every call. */
const EVERY_MS = 10_000

/** The secrets of a provider by their labels, and how each of them is. */
export function SecretList({ provider }: { readonly provider: ProviderView }) {
  const { t } = useTranslation('providers')
  const { data: secrets = [] } = useApi('listProviderSecrets', { id: provider.id }, { everyMs: EVERY_MS })
  const [isAdding, setAdding] = useState(false)
  return (
    <div className="mt-3 flex flex-col items-start gap-3">
      {secrets.length > 1 && (
        <ul aria-label={t('pool.title')} className="w-full divide-y divide-line rounded-md border border-line">
          {secrets.map((secret) => (
            <OneSecret key={secret.label} provider={provider} secret={secret} />
          ))}
        </ul>
      )}
      <Button size="small" onClick={() => setAdding(true)}>
        <Plus aria-hidden />
        {t('pool.add')}
      </Button>
      {isAdding && <AddSecret provider={provider} onClose={() => setAdding(false)} />}
    </div>
  )
}

type OneSecretProps = { readonly provider: ProviderView; readonly secret: ProviderSecretView }

function OneSecret({ provider, secret }: OneSecretProps) {
  const { t } = useTranslation('providers')
  const [isRemoving, setRemoving] = useState(false)
  const { label, weight, state, left_out_until: until, credits_today: today, limits } = secret
  return (
    <li className="flex items-start gap-3 px-3 py-2">
      <div className="min-w-0 flex-1 text-sm">
        <p className="font-medium break-words">{label}</p>
        <p className="text-xs text-muted">
          {t('pool.weight', { weight })} · {t('limits.creditsToday')}: <Money credits={today} hasUnit={false} />
          {limits.credits_per_day !== undefined && (
            <>
              {' / '}
              <Money credits={limits.credits_per_day} hasUnit={false} />
            </>
          )}
        </p>
        {until !== null && (
          <p className="text-xs text-muted">
            {t('pool.leftOutUntil')} <Time at={until} />
          </p>
        )}
      </div>
      <Status tone={TONES[state]}>{t(`pool.state.${state}`)}</Status>
      <Button look="quiet" size="icon" aria-label={t('pool.remove', { label })} onClick={() => setRemoving(true)}>
        <Trash2 aria-hidden />
      </Button>
      {isRemoving && <RemoveSecret provider={provider} label={label} onClose={() => setRemoving(false)} />}
    </li>
  )
}

type RemoveSecretProps = {
  readonly provider: ProviderView
  readonly label: string
  readonly onClose: () => void
}

function RemoveSecret({ provider: { id, name }, label, onClose }: RemoveSecretProps) {
  const { t } = useTranslation('providers')
  const remove = useAction('removeProviderSecret', {
    done: t('pool.removed', { label, name }),
    onDone: onClose,
    showsOwnErrors: true,
  })
  return (
    <Confirm
      isOpen
      onOpenChange={onClose}
      title={t('pool.removeTitle', { label, name })}
      description={t('pool.removeText')}
      action={t('remove.action')}
      isBusy={remove.isPending}
      problem={remove.error?.message}
      onConfirm={() => remove.mutate({ id, query: { label } })}
    />
  )
}
