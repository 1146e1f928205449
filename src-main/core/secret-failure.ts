// Failures of the place where secrets are kept. They are states that pass, or that an administrator mends: nothing is lost
// and nothing crashes meanwhile.

export type SecretTrouble =
  | 'locked' // the keychain is there, and somebody has to unlock it
  | 'unreachable' // no keychain answers on this machine
  | 'refused' // the keychain does not take what it is given
  | 'files' // the vault, its key or a note beside them cannot be used
  | 'database' // the database in which gateways share secrets does not answer, or does not take one

/** Why secrets cannot be read or kept. The message is a sentence for an administrator and never holds a secret or a key. */
export class SecretFailure extends Error {
  readonly trouble: SecretTrouble

  constructor(trouble: SecretTrouble, message: string = SENTENCES[trouble]) {
    super(message)
    this.name = 'SecretFailure'
    this.trouble = trouble
  }
}

const CHOICES =
  'To keep secrets without a keychain, start Farebox with FAREBOX_SECRETS=vault: an encrypted file, whose key is the file ' +
  'that FAREBOX_VAULT_KEY_FILE names, the systemd credential farebox-key, or a file that Farebox makes.'

const SENTENCES = {
  locked: 'The keychain is locked, or has no keyring yet. Unlock it; Farebox then goes on by itself.',
  unreachable: `No keychain answers on this machine. ${CHOICES}`,
  refused: `The keychain does not take this secret: it may be locked, or the secret too long for it. ${CHOICES}`,
  files: 'The files that hold the secrets cannot be used.',
  database: 'The shared database, which holds the secrets, cannot be reached.',
} as const satisfies Record<SecretTrouble, string>

/** What a client is told when the secret of a provider cannot be read: no path, and what somebody has to do. */
export function unreadableSecret(providerName: string, failure: unknown): string {
  const what = `The secret of '${providerName}'`
  const trouble = failure instanceof SecretFailure ? failure.trouble : undefined
  if (trouble === 'locked') return `${what} is locked in the keychain. Unlock the keychain and try again.`
  if (trouble === 'unreachable')
    return `${what} is locked away: the keychain does not answer. It is asked again by itself.`
  if (trouble === 'database') return `${what} cannot be read from the shared database yet. It is asked again by itself.`
  return `${what} cannot be read. 'farebox status' says why.`
}

/** Whether a provider's secret is where it should be; `locked` is one that cannot be read at the moment. */
export const SECRET_STATES = ['none', 'stored', 'locked', 'missing'] as const
export type SecretState = (typeof SECRET_STATES)[number]
