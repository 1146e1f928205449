// Where the secrets of a running app are: the store that was chosen, those that were not, and what follows where another gateway changes one.

import { join } from 'node:path'
import { isBillSecret } from '#catalog/bill-secrets.ts'
import type { Catalog } from '#catalog/catalog.ts'
import type { CatalogContext } from '#catalog/context.ts'
import { isInUse } from '#catalog/secrets.ts'
import type { Config } from '#config/config.ts'
import { scriptFile } from '#config/program-files.ts'
import { ownerOfSecret } from '#core/bill-secret.ts'
import type { Log } from '#core/log.ts'
import type { Fleet } from '#fleet/fleet.ts'
import type { Clock } from '#pipeline/ports.ts'
import { Forgetting } from '#secret/forgetting.ts'
import { Keeper } from '#secret/keeper.ts'
import type { StartKeychain } from '#secret/keychain-child.ts'
import { openKeychain } from '#secret/keychain.ts'
import type { SecretStore } from '#secret/port.ts'
import { leftAsItIs, oneOfStores } from '#secret/several-stores.ts'
import type { SharedVault } from '#secret/shared-vault.ts'
import { VaultError } from '#secret/vault-error.ts'
import { openVault } from '#secret/vault.ts'

export type Secrets = {
  /** The store that was chosen, and the others for what may be there from before. */
  readonly secrets: Keeper
  readonly otherSecrets: SecretStore
  /** Where gateways share secrets, whether that was chosen or not; undefined where they cannot. */
  readonly shared: SharedVault | undefined
  /** Has to be closed, whichever of them it is. */
  readonly keychain: ReturnType<typeof openKeychain>
  /** From now on a secret that another gateway changes is used here too. */
  follow(context: Pick<CatalogContext, 'catalog' | 'targetsChanged'>): void
}

type SecretsFrom = {
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  readonly startKeychain: StartKeychain
  readonly catalog: Catalog
  readonly fleet: Fleet | undefined
}

const ALONE =
  'FAREBOX_SECRETS=database keeps secrets in the database that gateways share: name it with FAREBOX_DATABASE_URL, or choose vault or keychain.'

/** Throws a VaultError where secrets are to be shared and cannot: no database, no key, or one that others may read. */
export async function openSecrets(from: SecretsFrom): Promise<Secrets> {
  const { config, clock, startKeychain, catalog } = from
  const { dataDir, vaultKeyFile: keyFile, credentialsDir } = config
  const { monotonicMs } = clock
  const changes = { listener: (_providerId: string) => {} }
  const vault = openVault({ dataDir, keyFile, credentialsDir })
  const keychain = openKeychain({ dataDir, script: scriptFile('keychain-process'), start: startKeychain, monotonicMs })
  const shared = await openShared(from, (providerId) => changes.listener(providerId))
  const store: SecretStore =
    config.secrets === 'database' && shared !== undefined ? shared : config.secrets === 'vault' ? vault : keychain
  const forgetting = new Forgetting({
    path: join(dataDir, 'secrets-to-forget.json'),
    store,
    isInUse: (reference) => {
      const provider = catalog.provider(ownerOfSecret(reference.providerId))
      return isInUse(provider, reference) || isBillSecret(provider, reference)
    },
  })
  const secrets = new Keeper({ store, forgetting, monotonicMs })
  const others = [vault, keychain].filter((other) => other !== store)
  // The keychain last: it may ask somebody to unlock it.
  if (shared !== undefined && store !== shared) others.unshift(leftAsItIs(shared))
  return {
    secrets,
    otherSecrets: oneOfStores(others),
    shared,
    keychain,
    follow(context) {
      changes.listener = (providerId) => {
        secrets.changedElsewhere(providerId)
        changedProvider(context, providerId)
      }
    },
  }
}

/** What was sent until now is remembered with the provider as it was. */
function changedProvider({ catalog, targetsChanged }: Parameters<Secrets['follow']>[0], providerId: string): void {
  const provider = catalog.providers.find(({ id }) => id === providerId)
  if (provider === undefined) return
  catalog.accept({ type: 'put-provider', provider: { ...provider } })
  targetsChanged(catalog.targetsAt(new Set([providerId])))
}

/** Loaded only where several gateways share their books. */
async function openShared(
  { config, log, clock, fleet }: SecretsFrom,
  onChanged: (providerId: string) => void,
): Promise<SharedVault | undefined> {
  const isChosen = config.secrets === 'database'
  if (fleet === undefined) {
    if (isChosen) throw new VaultError('key_missing', ALONE)
    return undefined
  }
  const { dataDir, vaultKeyFile: keyFile, vaultOldKeyFile: oldKeyFile, credentialsDir } = config
  const [{ KnownRevisions }, { SharedVault }, { readVaultKeys }] = await Promise.all([
    import('#secret/known-revisions.ts'),
    import('#secret/shared-vault.ts'),
    import('#secret/vault-keys.ts'),
  ])
  const reading = readVaultKeys({ keyFile, oldKeyFile, credentialsDir })
  // Where secrets are elsewhere, the vault says what is wrong with its key when it needs it.
  const keys = isChosen ? await reading : await reading.catch(() => undefined)
  if (keys === undefined) return undefined
  const shared = new SharedVault({
    keys,
    rows: fleet.secrets,
    revisions: new KnownRevisions(join(dataDir, 'secrets-known.json')),
    ...clock,
    onChanged,
    onFlaw: (providerId, why) => {
      const line = `A secret in the shared database was not taken. ${why}`
      log(line, { event: 'shared_secret_refused', level: 'error', fields: { provider_id: providerId } })
    },
  })
  fleet.secrets.open(shared, { isChosen })
  return shared
}
