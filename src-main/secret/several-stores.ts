// Several places where secrets may be from before, as one.

import { SecretFailure } from '#core/secret-failure.ts'
import { isSameSecret } from '#core/secret-pool.ts'
import type { ListedSecret, SecretStore } from '#secret/port.ts'

/** What is in the first of them that has it. Of several, one that is not there at all has none. */
export function oneOfStores(stores: readonly SecretStore[]): SecretStore {
  const [first, ...more] = stores
  if (first !== undefined && more.length === 0) return first
  return {
    async get(reference) {
      for (const store of stores) {
        const secret = await orNone(() => store.get(reference), undefined)
        if (secret !== undefined) return secret
      }
      return undefined
    },
    async set(reference, secret) {
      await first?.set(reference, secret)
    },
    async delete(reference) {
      for (const store of stores) await orNone(() => store.delete(reference), undefined)
    },
    async list() {
      const all: ListedSecret[] = []
      for (const store of stores) {
        for (const secret of await orNone(() => store.list(), [])) {
          if (!all.some((known) => isSameSecret(known, secret))) all.push(secret)
        }
      }
      return all
    },
  }
}

/** A store of which others live too: what is brought from it stays there. */
export function leftAsItIs(store: SecretStore): SecretStore {
  return {
    get: (reference) => store.get(reference),
    list: () => store.list(),
    set: (reference, secret) => store.set(reference, secret),
    delete: () => Promise.resolve(),
  }
}

async function orNone<Result>(ask: () => Promise<Result>, none: Result): Promise<Result> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof SecretFailure && error.trouble === 'unreachable') return none
    throw error
  }
}
