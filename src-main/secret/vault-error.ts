import { SecretFailure } from '#core/secret-failure.ts'

export type VaultReason =
  | 'empty_secret' // an empty text is no secret
  | 'full' // too many secrets, or too large ones
  | 'damaged' // the file is not what a vault wrote
  | 'too_new' // the file was written by a later version
  | 'key_missing' // there is no key file, and making a new one would lose what the old one opens
  | 'key_exposed' // others on this machine may read the key file
  | 'key_invalid' // the key file does not hold a key
  | 'key_wrong' // the key file holds a key, but of another vault
  | 'unreadable' // the system refuses to read a file
  | 'unwritable' // the system refuses to write a file

/** Why the vault cannot answer. The message is a sentence for an administrator and never holds a secret or a key. */
export class VaultError extends SecretFailure {
  readonly reason: VaultReason
  /** What the system calls it, where it refuses to write. */
  readonly code: string | undefined

  constructor(reason: VaultReason, message: string, code?: string) {
    super('files', message)
    this.name = 'VaultError'
    this.reason = reason
    this.code = code
  }
}

/** Runs file operations and turns what the system refuses into a VaultError that names the file and the system's code. */
export async function withFile<Value>(
  reason: 'unreadable' | 'unwritable',
  path: string,
  operate: () => Promise<Value>,
): Promise<Value> {
  try {
    return await operate()
  } catch (error) {
    if (error instanceof VaultError || systemCode(error) === undefined) throw error
    const code = systemCode(error)
    if (reason === 'unreadable') throw new VaultError(reason, `${path} cannot be read (${code}).`)
    throw new VaultError(reason, `${path} cannot be written (${code}).`, code)
  }
}

/** The code of a system error, such as ENOENT; undefined for every other error. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
