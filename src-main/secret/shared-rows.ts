// A secret as gateways share it: sealed, and bound to the books, to whose it is, and to a number that goes up, so that a row opens
// nowhere else and an earlier one can be told from it.

import { NONCE_BYTES, parseBase64, sealText, TAG_BYTES, unsealText } from '#secret/sealing.ts'
import type { SecretReference } from '#secret/port.ts'
import type { VaultKeys } from '#secret/vault-keys.ts'

const VERSION = 1

/** As the shared database has it. Whoever can write there can have written it. */
export type SharedRow = SecretReference & {
  /** When it was changed, in UTC epoch milliseconds, or one more than before; it goes up only. */
  readonly revision: number
  /** With which key it was sealed. */
  readonly keyId: string
  /** Nonce, tag and ciphertext, base64. Of a removed secret an empty text is sealed. */
  readonly sealed: string
  /** The gateway that sealed it. */
  readonly gateway: string
  /** Whether that was less than a minute ago, by the clock of the database. */
  readonly isLate: boolean
}

export type SharedName = SecretReference & { readonly booksId: string; readonly revision: number }

export function sealRow(
  { current }: VaultKeys,
  name: SharedName,
  secret: string,
): Omit<SharedRow, 'gateway' | 'isLate'> {
  const { nonce, tag, ciphertext } = sealText(current.key, boundTo(name), secret)
  const { booksId: _, ...row } = name
  return { ...row, keyId: current.id, sealed: Buffer.concat([nonce, tag, ciphertext]).toString('base64') }
}

/** What a row holds, empty for a removed secret; or why it does not open. */
export function openRow(
  keys: VaultKeys,
  booksId: string,
  row: SharedRow,
): { readonly text: string } | 'key' | 'changed' {
  const named = [keys.current, ...keys.others].find(({ id }) => id === row.keyId)
  if (named === undefined) return 'key'
  const bytes = parseBase64(row.sealed)
  const isWhole = bytes !== undefined && bytes.length >= NONCE_BYTES + TAG_BYTES
  if (!isWhole || !Number.isSafeInteger(row.revision) || row.revision < 1) return 'changed'
  const sealed = {
    nonce: bytes.subarray(0, NONCE_BYTES),
    tag: bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
    ciphertext: bytes.subarray(NONCE_BYTES + TAG_BYTES),
  }
  const text = unsealText(named.key, boundTo({ ...row, booksId }), sealed)
  return text === undefined ? 'changed' : { text }
}

/** JSON keeps the texts apart whatever they contain. */
function boundTo({ booksId, providerId, origin, label = '', revision }: SharedName): Buffer {
  return Buffer.from(JSON.stringify(['farebox shared secret', VERSION, booksId, providerId, origin, label, revision]))
}
