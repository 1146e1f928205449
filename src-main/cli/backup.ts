// farebox backup and farebox restore.

import { resolve } from 'node:path'
import { CommandFailure } from '#cli/errors.ts'
import { toggle } from '#cli/flags.ts'
import type { RestoreOutcome } from '#cli/host.ts'
import { facts, printable, table, time, view } from '#cli/output.ts'
import { requestBody } from '#cli/request.ts'
import { PASSPHRASE_FLAGS, PASSPHRASE_USAGE, passphraseOf } from '#cli/secret.ts'
import { verb } from '#cli/verb.ts'
import type { SecretsExported } from '#contract/providers.ts'
import type { BackupView } from '#contract/schemas.ts'

const backup = verb({
  name: 'backup',
  usage: `FILE [--force] [${PASSPHRASE_USAGE}]`,
  summary: 'copies the database to FILE while the gateway runs, and checks the copy; --force replaces an older backup',
  operand: 'FILE',
  flags: { force: toggle, ...PASSPHRASE_FLAGS },
  async run(client, { name, flags: { force, ...places }, sources }) {
    const file = resolve(name)
    // Before the copy is made: without a passphrase that will do, there is to be neither.
    const passphrase = await passphraseOf(places, sources)
    const secrets =
      passphrase === undefined
        ? undefined
        : requestBody('exportSecrets', { file: `${file}.secrets`, passphrase, force })
    const answer = await client.call('backUp', { body: requestBody('backUp', { file, force }) })
    if (secrets === undefined) return view(answer, backupText(answer))
    const exported = await client.call('exportSecrets', { body: secrets })
    return view({ ...answer, secrets: exported }, secretsText(answer, exported))
  },
})

function secretsText(answer: BackupView, { file, exported, missing }: SecretsExported): string {
  const lost = missing.length === 0 ? '' : `\nSecrets that cannot be found: ${missing.map(printable).join(', ')}`
  const kept = `Secrets of ${exported.length} providers, encrypted: ${file} (farebox secret import)`
  return `${backupCounts(answer)}\n${kept}${lost}`
}

/** Works on the data folder itself, and only while no gateway runs on it. */
const restore = verb({
  name: 'restore',
  usage: 'FILE [--dry-run]',
  summary: 'puts a backup in the place of the database, which is kept; --dry-run only says what would change',
  operand: 'FILE',
  flags: { dry_run: toggle },
  async run(_client, { name, flags, sources }) {
    const isDryRun = flags.dry_run ?? false
    const outcome = await sources.restore({ file: resolve(name), isDryRun })
    if (outcome.type === 'refused') throw new CommandFailure('not_restored', outcome.message)
    return view(restoredView(outcome, isDryRun), restoredText(outcome, isDryRun))
  },
})

export const BACKUP_VERBS = [backup, restore]

type Restored = Extract<RestoreOutcome, { type: 'restored' }>

function backupCounts(answer: BackupView): string {
  return facts({
    backup: answer.file,
    bytes: answer.bytes,
    keys: answer.keys,
    entries: answer.entries,
    'open holds': answer.open_holds,
    'usage records': answer.usage_records,
  })
}

function backupText(answer: BackupView): string {
  const counts = backupCounts(answer)
  const secrets = 'Secrets of providers are not in it, and on another machine have to be set again'
  const { without_secrets: names } = answer
  return names.length === 0 ? counts : `${counts}\n${secrets}: ${names.map(printable).join(', ')}`
}

function restoredView({ keptAs, endsAt, schema, books, present, keys, withoutSecrets }: Restored, isDryRun: boolean) {
  return {
    dry_run: isDryRun,
    kept_as: keptAs,
    books_end_at: endsAt,
    schema,
    keys: books.keys,
    entries: books.entries,
    open_holds: books.openHolds,
    usage_records: books.usageRecords,
    before: present === null ? null : { entries: present.entries, usage_records: present.usageRecords },
    changed_keys: keys,
    without_secrets: withoutSecrets,
  }
}

/** More of them say nothing more to a person; `--json` has them all. */
const MAX_ROWS = 50

function restoredText({ keptAs, endsAt, books, present, keys, withoutSecrets }: Restored, isDryRun: boolean): string {
  const were = (count: number | undefined) => (count === undefined ? '' : ` (before: ${count})`)
  const counts = facts({
    [isDryRun ? 'would restore' : 'restored']: `the books up to ${time(endsAt) ?? 'their beginning'}`,
    'kept as': keptAs,
    keys: books.keys,
    entries: `${books.entries}${were(present?.entries)}`,
    'usage records': `${books.usageRecords}${were(present?.usageRecords)}`,
    'open holds': books.openHolds === 0 ? 0 : `${books.openHolds}, released by the next start`,
  })
  const rows = keys.slice(0, MAX_ROWS).map(({ name, before, after }) => [name, before ?? 'unknown', after ?? 'unknown'])
  const more = keys.length > MAX_ROWS ? [`and ${keys.length - MAX_ROWS} more, see --json`] : []
  const changed = ['', 'Keys in another state than before, also those that had been revoked since the backup:']
  const secrets = `Secrets that are not on this machine, set them with farebox provider secret NAME:`
  const unread = 'The database that was there could not be read, so nothing was compared with it.'
  return [
    counts,
    ...(present === null && keptAs !== null ? ['', unread] : []),
    ...(keys.length === 0 ? [] : [...changed, table(['KEY', 'BEFORE', 'NOW'], rows, ''), ...more]),
    ...(withoutSecrets.length === 0 ? [] : ['', `${secrets} ${withoutSecrets.map(printable).join(', ')}`]),
  ].join('\n')
}
