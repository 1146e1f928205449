// Reads a secret from where an administrator says it is. A secret is never an argument and never part of a message.

import { CommandFailure, errorCode, UsageError } from '#cli/errors.ts'
import type { CommandHost } from '#cli/host.ts'

export type SecretSources = Pick<CommandHost, 'env' | 'readFile'>

/** Where a secret is, as farebox.yaml names it. */
export type SecretReference = { readonly env: string } | { readonly file: string }

export type SecretRead =
  { readonly type: 'secret'; readonly secret: string } | { readonly type: 'unreadable'; readonly message: string }

/** The secret without the newline that editors put at its end, or a sentence about why there is none. */
export async function readSecret(reference: SecretReference, sources: SecretSources): Promise<SecretRead> {
  if ('env' in reference) {
    return presentSecret(sources.env[reference.env], `The environment variable ${variableName(reference.env)}`)
  }
  try {
    return presentSecret(await sources.readFile(reference.file), `The file ${reference.file}`)
  } catch (error) {
    return { type: 'unreadable', message: `The file ${reference.file} cannot be read (${errorCode(error)}).` }
  }
}

/** Where the flags of a command say that a secret or password is. */
export type NamedPlaces = {
  readonly env: string | undefined
  readonly file: string | undefined
  readonly isStdin: boolean | undefined
  /** As the flags are named: `--secret-env` or `--password-env`. */
  readonly what: 'secret' | 'password' | 'passphrase'
}

/** What is in the one place that was named, or undefined when none was. Throws when it cannot be had. */
export async function secretFromOne(
  { env, file, isStdin, what }: NamedPlaces,
  sources: SecretSources & Pick<CommandHost, 'readStdin'>,
): Promise<string | undefined> {
  if ([env, file, isStdin].filter((flag) => flag !== undefined).length > 1) {
    throw new UsageError(`Give only one of --${what}-env, --${what}-file and --${what}-stdin.`)
  }
  if (env !== undefined) return readable(await readSecret({ env }, sources), what)
  if (file !== undefined) return readable(await readSecret({ file }, sources), what)
  if (isStdin === true) return readable(presentSecret(await sources.readStdin(), 'Standard input'), what)
  return undefined
}

function readable(read: SecretRead, what: NamedPlaces['what']): string {
  if (read.type === 'secret') return read.secret
  throw new CommandFailure(`unreadable_${what}`, read.message)
}

/** Somebody may have written the secret where the name of its variable belongs. */
function variableName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : '(its name is not one and is not shown)'
}

/** The same for a text that has been read; `what` begins the sentence when there is nothing in it. */
function presentSecret(text: string | undefined, what: string): SecretRead {
  if (text === undefined) return { type: 'unreadable', message: `${what} is not set.` }
  const secret = text.replace(/\r?\n$/, '')
  if (secret.trim() === '') return { type: 'unreadable', message: `${what} is empty.` }
  return { type: 'secret', secret }
}
