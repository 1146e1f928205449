// farebox secret …

import { resolve } from 'node:path'
import { UsageError } from '#cli/errors.ts'
import { text, toggle, type FlagTable, type FlagValues } from '#cli/flags.ts'
import type { Sources } from '#cli/host.ts'
import { printable, view } from '#cli/output.ts'
import { plainVerb } from '#cli/plain-verbs.ts'
import { requestBody } from '#cli/request.ts'
import { secretFromOne } from '#cli/secret-source.ts'
import { verb } from '#cli/verb.ts'

const move = plainVerb({
  name: 'secret move',
  summary: 'brings secrets from the keychain, the vault or the shared database to where FAREBOX_SECRETS says',
  action: 'moveSecrets',
  says: (result) => {
    const moved = result.moved.length === 0 ? 'There was no secret to move.' : `Moved: ${named(result.moved)}.`
    const missing = result.missing.length === 0 ? '' : ` Nowhere to be found: ${named(result.missing)}.`
    return moved + missing
  },
})

const reseal = plainVerb({
  name: 'secret reseal',
  summary: 'seals secrets in the shared database with the present key, in place of the one before it',
  action: 'resealSecrets',
  says: ({ resealed, unreadable }) => {
    const count = resealed === 1 ? 'One secret was' : `${resealed} secrets were`
    const done = resealed === 0 ? 'No secret had the key before.' : `${count} sealed with the present key.`
    return unreadable === 0 ? done : `${done} Of ${unreadable} neither key fits.`
  },
})

/** Where the passphrase of a file of secrets is. */
export const PASSPHRASE_FLAGS = {
  passphrase_env: text,
  passphrase_file: text,
  passphrase_stdin: toggle,
} satisfies FlagTable
export const PASSPHRASE_USAGE = '--passphrase-env VAR | --passphrase-file PATH | --passphrase-stdin'

/** The passphrase from the one place that was named, or undefined when none was. */
export function passphraseOf(
  flags: FlagValues<typeof PASSPHRASE_FLAGS>,
  sources: Sources,
): Promise<string | undefined> {
  const { passphrase_env: env, passphrase_file: file, passphrase_stdin: isStdin } = flags
  return secretFromOne({ env, file, isStdin, what: 'passphrase' }, sources)
}

const importVerb = verb({
  name: 'secret import',
  usage: `FILE (${PASSPHRASE_USAGE})`,
  summary: 'gives providers the secrets that farebox backup wrote beside a backup',
  operand: 'FILE',
  flags: PASSPHRASE_FLAGS,
  async run(client, { name: file, flags, sources }) {
    const passphrase = await passphraseOf(flags, sources)
    if (passphrase === undefined) throw new UsageError('Say where the passphrase is.')
    const result = await client.call('importSecrets', {
      body: requestBody('importSecrets', { file: resolve(file), passphrase }),
    })
    const { imported, skipped } = result
    const done = imported.length === 0 ? 'No provider got a secret.' : `Imported: ${named(imported)}.`
    const left = skipped.length === 0 ? '' : ` No provider here has this name and address: ${named(skipped)}.`
    return view(result, done + left)
  },
})

function named(names: readonly string[]): string {
  return names.map(printable).join(', ')
}

export const SECRET_VERBS = [move, reseal, importVerb]
