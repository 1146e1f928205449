import type { KeyView, ModelView, PackageView } from '#contract/schemas.ts'
import type { ProviderView } from '#contract/providers.ts'
import { useApi } from '#renderer/api/use-api.ts'

/** What is there already, from which the steps that are left follow. */
export type SetUp = {
  readonly providers: readonly ProviderView[]
  readonly models: readonly ModelView[]
  readonly packages: readonly PackageView[]
  readonly keys: readonly KeyView[]
  readonly hasProvider: boolean
  readonly hasModel: boolean
  readonly hasKey: boolean
}

type Read = { readonly known: SetUp | undefined; readonly error: Error | undefined; readonly retry: () => void }

export function useSetUp(): Read {
  const providers = useApi('listProviders', {})
  const models = useApi('listModels', {})
  const packages = useApi('listPackages', {})
  const keys = useApi('listKeys', {})
  const all = [providers, models, packages, keys]
  const failed = all.find((query) => query.isError && query.data === undefined)
  return {
    known:
      providers.data === undefined ||
      models.data === undefined ||
      packages.data === undefined ||
      keys.data === undefined
        ? undefined
        : {
            providers: providers.data,
            models: models.data,
            packages: packages.data,
            keys: keys.data,
            hasProvider: providers.data.some(({ dialect }) => dialect !== 'demo'),
            hasModel: models.data.some(({ enabled }) => enabled),
            hasKey: keys.data.some(({ status }) => status === 'active'),
          },
    error: failed?.error ?? undefined,
    retry: () => void Promise.all(all.map((query) => query.refetch())),
  }
}
