// What the gateway is set up with, in memory: providers, models, packages and keys, found by id, by name and by hash. Every
// request reads from here; changes are made by this folder's actions, which write them to disk first.

import type { Key, Model, Package, Provider } from '#core/entities.ts'
import type { CatalogChange, CatalogState } from '#store/catalog-rows.ts'

export class Catalog {
  readonly #providers = new Map<string, Provider>()
  readonly #models = new Map<string, Model>()
  readonly #packages = new Map<string, Package>()
  readonly #keys = new Map<string, Key>()
  readonly #keysByHash = new Map<string, Key>()
  readonly #priceVersions: Map<string, number>

  constructor(state: CatalogState, priceVersions: ReadonlyMap<string, number>) {
    this.#priceVersions = new Map(priceVersions)
    for (const provider of state.providers) this.#providers.set(provider.id, provider)
    for (const model of state.models) this.#models.set(model.id, model)
    for (const entity of state.packages) this.#packages.set(entity.id, entity)
    for (const key of state.keys) this.#putKey(key)
  }

  get providers(): Provider[] {
    return [...this.#providers.values()]
  }

  get models(): Model[] {
    return [...this.#models.values()]
  }

  get packages(): Package[] {
    return [...this.#packages.values()]
  }

  get keys(): Key[] {
    return [...this.#keys.values()]
  }

  /** By id or by name. */
  provider(idOrName: string): Provider | undefined {
    return this.#providers.get(idOrName) ?? this.providers.find((provider) => provider.name === idOrName)
  }

  model(id: string): Model | undefined {
    return this.#models.get(id)
  }

  /** By id or by name. */
  package(idOrName: string): Package | undefined {
    return this.#packages.get(idOrName) ?? this.packages.find((entity) => entity.name === idOrName)
  }

  /** By id or by name; of several keys of one name the one that is not revoked, else the newest. */
  key(idOrName: string): Key | undefined {
    const byId = this.#keys.get(idOrName)
    if (byId !== undefined) return byId
    const named = this.keys.filter((key) => key.name === idOrName)
    return named.find((key) => key.storedStatus !== 'revoked') ?? named.at(-1)
  }

  /** By the hash of a key's value. */
  keyByHash(hash: string): Key | undefined {
    return this.#keysByHash.get(hash)
  }

  keysOfPackage(packageId: string): Key[] {
    return this.keys.filter((key) => key.packageId === packageId)
  }

  /** The version that a model's next price gets; versions of removed models are not used again. */
  nextPriceVersion(modelId: string): number {
    return (this.#priceVersions.get(modelId) ?? 0) + 1
  }

  /** Takes over a change that is on disk. */
  accept(change: CatalogChange): void {
    switch (change.type) {
      case 'put-provider':
        this.#providers.set(change.provider.id, change.provider)
        return
      case 'delete-provider':
        this.#providers.delete(change.id)
        return
      case 'put-model':
        this.#models.set(change.model.id, change.model)
        if (change.model.price !== undefined) this.#priceVersions.set(change.model.id, change.model.price.version)
        return
      case 'delete-model':
        this.#models.delete(change.id)
        return
      case 'put-package':
        this.#packages.set(change.package.id, change.package)
        return
      case 'delete-package':
        this.#packages.delete(change.id)
        return
      case 'put-key':
        this.#putKey(change.key)
        return
    }
  }

  #putKey(key: Key): void {
    this.#keys.set(key.id, key)
    this.#keysByHash.set(key.hash, key)
  }
}
