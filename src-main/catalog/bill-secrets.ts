// Secrets of providers' administrators: give one, take it away, and which there are. They are kept, and forgotten with their
// provider, and that is all that the catalogue does with them.

import type { CatalogContext } from '#catalog/context.ts'
import { noProvider } from '#catalog/providers.ts'
import { orRefusal } from '#catalog/secrets.ts'
import type { BillSecretView } from '#contract/bills.ts'
import { balanceKindOf, isToldToAdministrators } from '#core/account-balance.ts'
import { billKindOf, billSecretReference } from '#core/bill-secret.ts'
import type { Provider } from '#core/entities.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { isSameSecret } from '#core/secret-pool.ts'
import type { SecretReference } from '#secret/port.ts'

/** Whether this names the administrator's secret of a present provider, at the origin at which it is. */
export function isBillSecret(provider: Provider | undefined, reference: SecretReference): boolean {
  if (provider === undefined || provider.baseUrl === '') return false
  return isSameSecret(billSecretReference(provider), reference)
}

export async function listBillSecrets(context: CatalogContext): Promise<BillSecretView[] | Refusal> {
  let kept: readonly SecretReference[] = []
  const refusal = await orRefusal(async () => {
    kept = await context.secrets.list()
  })
  if (refusal !== undefined) return refusal
  return context.catalog.providers.flatMap((provider) => {
    if (!isAskedAsAdministrator(provider)) return []
    return [
      viewOf(
        provider,
        kept.some((reference) => isBillSecret(provider, reference)),
      ),
    ]
  })
}

export async function setBillSecret(
  context: CatalogContext,
  idOrName: string,
  secret: string,
): Promise<BillSecretView | Refusal> {
  const provider = findBilled(context, idOrName)
  if (isRefusal(provider)) return provider
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    return refuse('invalid_request', "'secret' must be of visible ASCII characters.", { param: 'secret' })
  }
  const refusal = await orRefusal(() => context.secrets.set(billSecretReference(provider), secret))
  return refusal ?? viewOf(provider, true)
}

/** That there was none is no error. */
export async function removeBillSecret(context: CatalogContext, idOrName: string): Promise<BillSecretView | Refusal> {
  const provider = findBilled(context, idOrName)
  if (isRefusal(provider)) return provider
  const refusal = await orRefusal(() => context.secrets.delete(billSecretReference(provider)))
  return refusal ?? viewOf(provider, false)
}

function findBilled({ catalog }: CatalogContext, idOrName: string): Provider | Refusal {
  const provider = catalog.provider(idOrName)
  if (provider === undefined) return noProvider(idOrName)
  return isAskedAsAdministrator(provider) ? provider : noReports(provider)
}

/** For its reports, or for what is left on its account. */
function isAskedAsAdministrator(provider: Provider): boolean {
  const kind = balanceKindOf(provider)
  return billKindOf(provider) !== undefined || (kind !== undefined && isToldToAdministrators(kind))
}

export function noReports({ name }: Provider): Refusal {
  const says = `Farebox knows no reports of '${name}' that it could ask for. Export a file from its console.`
  return refuse('invalid_request', says, { param: 'provider' })
}

function viewOf(provider: Provider, hasSecret: boolean): BillSecretView {
  return {
    provider: provider.name,
    origin: new URL(provider.baseUrl).origin,
    has_secret: hasSecret,
    has_reports: billKindOf(provider) !== undefined,
  }
}
