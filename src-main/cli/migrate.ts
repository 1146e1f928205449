// farebox migrate-to: works on the data folder itself, and only while no gateway runs on it.

import { CommandFailure, UsageError } from '#cli/errors.ts'
import type { MigrationOutcome, MigrationRequest } from '#cli/host.ts'
import { printable, tableOf } from '#cli/output.ts'
import { verb } from '#cli/verb.ts'

const migrate = verb({
  name: 'migrate-to',
  usage: 'postgres://ROLE@HOST/NAME|sqlite',
  summary:
    'moves keys, packages and balances into an empty PostgreSQL that gateways share, or as the last of them back',
  operand: 'DATABASE',
  flags: {},
  async run(_client, { name, sources }) {
    const request = requestOf(name)
    const outcome = await sources.migrate(request)
    if (outcome.type === 'refused') throw new CommandFailure('not_moved', outcome.message)
    const { sums, problems } = outcome
    const isWhole = problems.length === 0
    const value = { to: request.errand === 'bring' ? 'postgres' : 'sqlite', ok: isWhole, sums, problems }
    return { type: 'view', value, text: movedText(outcome, request), exitCode: isWhole ? 0 : 1 }
  },
})

export const MIGRATE_VERBS = [migrate]

function requestOf(name: string): MigrationRequest {
  if (name === 'sqlite') return { errand: 'take-back', url: undefined }
  if (/^postgres(ql)?:/i.test(name)) return { errand: 'bring', url: name }
  throw new UsageError("'migrate-to' takes an address that begins with postgres://, or 'sqlite'.")
}

type Moved = Extract<MigrationOutcome, { type: 'moved' }>

function movedText({ sums, problems }: Moved, { errand }: MigrationRequest): string {
  const columns = {
    '': ({ what }: Moved['sums'][number]) => what,
    HERE: ({ here }: Moved['sums'][number]) => here,
    SHARED: ({ shared }: Moved['sums'][number]) => shared,
  }
  const list = tableOf(columns, sums, '')
  if (problems.length > 0) {
    const lines = problems.map((problem) => `- ${printable(problem)}`)
    return [list, '', 'The two sides differ, so this gateway still belongs to the shared database:', ...lines].join(
      '\n',
    )
  }
  const next =
    errand === 'bring'
      ? 'Everything is shared and agrees. From now on start this gateway, and others with empty folders, with FAREBOX_DATABASE_URL.'
      : 'The balances are here again and agree, and the shared database is closed. Start this gateway without FAREBOX_DATABASE_URL.'
  return `${list}\n\n${next}`
}
