// Says at a start when secrets are where they are not looked for.

import type { CatalogContext } from '#catalog/context.ts'
import { countSecrets } from '#catalog/secrets.ts'
import type { Log } from '#core/log.ts'

/** For a gateway whose secrets are in the keychain, which is not asked: that is for the first call that needs it. */
export async function noteVault(context: CatalogContext, log: Log): Promise<void> {
  const count = await countSecrets(context, context.otherSecrets)
  if (count === 0) return
  const line = `${count} secrets are in the vault, which FAREBOX_SECRETS does not choose: 'farebox secret move' brings them over.`
  log(line, { event: 'secrets_elsewhere', level: 'warning', fields: { count } })
}
