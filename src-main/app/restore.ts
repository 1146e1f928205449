// What `farebox restore` does besides the swap: it says which keys are in another state afterwards, and whose secrets are
// not on this machine.

import { completeBooks } from '#app/whole-books.ts'
import type { KeyState, RestoreOutcome } from '#cli/host.ts'
import { keyStatus } from '#core/entities.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { openVault } from '#secret/vault.ts'
import type { SecretHolder, StoredKey } from '#store/examine.ts'
import { restoreBackup, type RestoreRequest } from '#store/restore.ts'

type Restored = Extract<RestoreOutcome, { type: 'restored' }>

export async function restore(
  request: RestoreRequest & { readonly vaultKeyFile: string | undefined },
): Promise<RestoreOutcome> {
  const answer = restoreBackup(request, { check: verifyLedger, complete: completeBooks })
  if (answer.type === 'refused') return answer
  const { contents, present, keptAs } = answer
  const { books, endsAtMs, schema } = contents
  const isRead = present.type === 'read'
  return {
    type: 'restored',
    keptAs: keptAs ?? null,
    endsAt: endsAtMs === undefined ? null : new Date(endsAtMs).toISOString(),
    schema,
    books,
    present: isRead ? { entries: present.entries, usageRecords: present.usageRecords } : null,
    keys: isRead ? changedKeys({ before: present.keys, after: contents.keys, nowMs: request.nowMs }) : [],
    withoutSecrets: await withoutSecrets(contents.secretHolders, request),
  }
}

type Comparison = {
  readonly before: readonly StoredKey[]
  readonly after: readonly StoredKey[]
  readonly nowMs: number
}

function changedKeys({ before, after, nowMs }: Comparison): Restored['keys'] {
  const states = (keys: readonly StoredKey[]) => new Map(keys.map((key) => [key.id, keyStatus(key, nowMs)]))
  const [old, now] = [states(before), states(after)]
  const names = new Map([...before, ...after].map(({ id, name }) => [id, name]))
  return [...names].flatMap(([id, name]) => {
    const change: { before: KeyState | null; after: KeyState | null } = {
      before: old.get(id) ?? null,
      after: now.get(id) ?? null,
    }
    return change.before === change.after ? [] : [{ name, ...change }]
  })
}

async function withoutSecrets(
  holders: readonly SecretHolder[],
  { dataDir, vaultKeyFile }: { dataDir: string; vaultKeyFile: string | undefined },
): Promise<string[]> {
  // A vault that does not open is told by the next start; here it means that no secret can be relied on.
  const stored = await openVault({ dataDir, keyFile: vaultKeyFile })
    .list()
    .catch(() => [])
  const isThere = ({ id, baseUrl }: SecretHolder) =>
    stored.some(
      ({ providerId, origin }) => providerId === id && URL.canParse(baseUrl) && new URL(baseUrl).origin === origin,
    )
  return holders.filter((holder) => !isThere(holder)).map(({ name }) => name)
}
