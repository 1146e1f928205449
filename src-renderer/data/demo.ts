import { DEMO } from '#contract/dialects.ts'
import type { ProviderView } from '#contract/providers.ts'

/** Whether a provider is the built-in one, which has no address and no secret. */
export function isDemo({ dialect }: Pick<ProviderView, 'dialect'>): boolean {
  return dialect === DEMO
}
