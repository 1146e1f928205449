// The keychain of the operating system: Keychain on macOS, Credential Manager on Windows, a Secret Service on Linux. Nothing
// of it is loaded, and no process started, before a secret is needed. There is no way around a keychain that is not there:
// whoever has none chooses the vault.

import { SecretFailure } from '#core/secret-failure.ts'
import { makeFolderIdentity, readFolderIdentity } from '#secret/folder-identity.ts'
import { KeychainCaller, type KeychainCallerOptions, type Limit } from '#secret/keychain-caller.ts'
import type { KeychainRequest } from '#secret/keychain-operations.ts'
import type { SecretReference, SecretStore } from '#secret/port.ts'

export type KeychainPlace = KeychainCallerOptions & {
  readonly dataDir: string
  readonly monotonicMs: () => number
}

export type Keychain = SecretStore & { close(): void }

/** All methods reject with a SecretFailure. */
export function openKeychain(place: KeychainPlace): Keychain {
  return new SystemKeychain(place)
}

/** What answers without anybody doing anything answers at once. */
const QUICK: Limit = { ms: 5_000, trouble: 'unreachable' }
/** How long somebody may take to type a password. */
const ASKING: Limit = { ms: 120_000, trouble: 'locked' }
/** A call to a provider does not wait for that; the one after it finds the keychain unlocked. */
const PATIENCE_MS = 10_000
/** Who dismissed the question is not asked again for every call. */
const ASK_EVERY_MS = 300_000

class SystemKeychain implements Keychain {
  readonly #place: KeychainPlace
  readonly #caller: KeychainCaller
  /** The name under which this data folder keeps its secrets. */
  #service: string | undefined
  #askedAtMs = -Infinity

  constructor(place: KeychainPlace) {
    this.#place = place
    this.#caller = new KeychainCaller(place)
  }

  async get(reference: SecretReference): Promise<string | undefined> {
    const service = await this.#knownService()
    if (service === undefined) return undefined
    const request = { operation: 'get', service, account: accountOf(reference) } as const
    // The other systems ask the user by themselves, and only then.
    if (process.platform === 'linux') {
      try {
        return await this.#read({ ...request, asks: false }, QUICK)
      } catch (error) {
        if (!(error instanceof SecretFailure) || error.trouble !== 'locked' || !this.#mayAsk()) throw error
      }
    }
    return await withPatience(this.#read({ ...request, asks: true }, ASKING))
  }

  async set(reference: SecretReference, secret: string): Promise<void> {
    const service = (await this.#knownService()) ?? (await this.#newService())
    await this.#caller.call({ operation: 'set', service, account: accountOf(reference), password: secret }, ASKING)
  }

  async delete(reference: SecretReference): Promise<void> {
    const service = await this.#knownService()
    if (service === undefined) return
    await this.#caller.call({ operation: 'delete', service, account: accountOf(reference) }, QUICK)
  }

  async list(): Promise<SecretReference[]> {
    const service = await this.#knownService()
    if (service === undefined) return []
    const result = await this.#caller.call({ operation: 'list', service }, QUICK)
    return result.type === 'accounts' ? result.accounts.flatMap((account) => referenceOf(account) ?? []) : []
  }

  close(): void {
    this.#caller.close()
  }

  async #read(request: KeychainRequest, limit: Limit): Promise<string | undefined> {
    const result = await this.#caller.call(request, limit)
    return result.type === 'secret' ? result.secret : undefined
  }

  #mayAsk(): boolean {
    const nowMs = this.#place.monotonicMs()
    if (nowMs - this.#askedAtMs < ASK_EVERY_MS) return false
    this.#askedAtMs = nowMs
    return true
  }

  /** undefined: this folder has put nothing into the keychain, which therefore need not be asked. */
  async #knownService(): Promise<string | undefined> {
    if (this.#service !== undefined) return this.#service
    const identity = await readFolderIdentity(this.#place.dataDir)
    if (identity !== undefined) this.#service = serviceOf(identity)
    return this.#service
  }

  async #newService(): Promise<string> {
    const service = serviceOf(await makeFolderIdentity(this.#place.dataDir))
    this.#service = service
    return service
  }
}

async function withPatience<Value>(slow: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SecretFailure('locked')), PATIENCE_MS)
  })
  // It may still fail after its caller has stopped waiting.
  slow.catch(() => undefined)
  try {
    return await Promise.race([slow, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

function serviceOf(identity: string): string {
  return `Farebox ${identity}`
}

/** Neither ids nor origins nor labels have a space. */
function accountOf({ providerId, origin, label }: SecretReference): string {
  return [providerId, origin, ...(label === undefined ? [] : [label])].join(' ')
}

function referenceOf(account: string): SecretReference | undefined {
  const [providerId, origin, label, ...rest] = account.split(' ')
  if (providerId === undefined || origin === undefined || rest.length > 0) return undefined
  return { providerId, origin, ...(label === undefined ? {} : { label }) }
}
