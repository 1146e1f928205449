import { useTranslation } from 'react-i18next'
import type { ModelView } from '#contract/schemas.ts'
import { useAction } from '#renderer/api/use-api.ts'

export type ModelSwitch = {
  readonly run: () => void
  readonly isBusy: boolean
  /** A model without a price cannot be enabled. */
  readonly isLocked: boolean
}

/** Enables or disables a model, whichever it is not. */
export function useModelSwitch({ id, enabled, price }: ModelView): ModelSwitch {
  const { t } = useTranslation('models')
  const enable = useAction('enableModel', { done: t('enable.done', { name: id }) })
  const disable = useAction('disableModel', { done: t('disable.done', { name: id }) })
  const change = enabled ? disable : enable
  return {
    run: () => change.mutate({ id }),
    isBusy: enable.isPending || disable.isPending,
    isLocked: !enabled && price === null,
  }
}
