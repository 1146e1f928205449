// The command line: words in, text and an exit code out. It finds the verb and the gateway and prints what the verb hands
// back; the admin API does the work, and the host says how the outside world is reached.

import { ALERT_VERBS } from '#cli/alerts.ts'
import { APPLY_VERBS } from '#cli/apply.ts'
import { AUDIT_VERBS } from '#cli/audit.ts'
import { BACKUP_VERBS } from '#cli/backup.ts'
import { BILL_VERBS } from '#cli/bills.ts'
import { AdminError, adminClient } from '#cli/client.ts'
import { openLater, type Connection } from '#cli/connection.ts'
import { CONNECT_VERBS } from '#cli/connect.ts'
import { DEMO_VERBS } from '#cli/demo.ts'
import { DOCTOR_VERBS } from '#cli/doctor.ts'
import { CommandFailure, UsageError } from '#cli/errors.ts'
import { FLEET_VERBS } from '#cli/fleet.ts'
import { helpText, nearestUsage, nearestVerbs, usageLine, verbHelp } from '#cli/help.ts'
import type { CommandHost, Sources } from '#cli/host.ts'
import { INVITE_VERBS } from '#cli/invite.ts'
import { KEY_VERBS } from '#cli/key.ts'
import { LAN_VERBS } from '#cli/lan.ts'
import { LEDGER_VERBS } from '#cli/ledger.ts'
import { MEMBER_VERBS } from '#cli/member.ts'
import { MIGRATE_VERBS } from '#cli/migrate.ts'
import { MODEL_VERBS } from '#cli/model.ts'
import { jsonText, printableLines, type Output } from '#cli/output.ts'
import { OPEN_VERBS } from '#cli/open.ts'
import { OVERVIEW_VERBS } from '#cli/overview.ts'
import { PACKAGE_VERBS } from '#cli/package.ts'
import { PROJECT_VERBS } from '#cli/project.ts'
import { PAUSE_VERBS } from '#cli/pause.ts'
import { DISCOVER_VERBS } from '#cli/provider-discover.ts'
import { PROVIDER_SECRET_VERBS } from '#cli/provider-secrets.ts'
import { PROVIDER_VERBS } from '#cli/provider.ts'
import { SCAN_VERBS } from '#cli/scan.ts'
import { SECRET_VERBS } from '#cli/secret.ts'
import { SETTINGS_VERBS } from '#cli/settings.ts'
import { STATUS_VERBS } from '#cli/status.ts'
import { USAGE_REPORT_VERBS } from '#cli/usage-report.ts'
import { USAGE_VERBS } from '#cli/usage.ts'
import type { Verb } from '#cli/verb.ts'
import { WAITING_VERBS } from '#cli/waiting.ts'
import { WHY_VERBS } from '#cli/why.ts'

const VERBS: readonly Verb[] = [
  ...STATUS_VERBS,
  ...OPEN_VERBS,
  ...OVERVIEW_VERBS,
  ...WAITING_VERBS,
  ...ALERT_VERBS,
  ...SETTINGS_VERBS,
  ...PAUSE_VERBS,
  ...FLEET_VERBS,
  ...LAN_VERBS,
  ...APPLY_VERBS,
  ...DEMO_VERBS,
  ...CONNECT_VERBS,
  ...DOCTOR_VERBS,
  ...SCAN_VERBS,
  ...PROVIDER_VERBS,
  ...PROVIDER_SECRET_VERBS,
  ...DISCOVER_VERBS,
  ...SECRET_VERBS,
  ...MODEL_VERBS,
  ...PACKAGE_VERBS,
  ...KEY_VERBS,
  ...MEMBER_VERBS,
  ...PROJECT_VERBS,
  ...INVITE_VERBS,
  ...USAGE_VERBS,
  ...USAGE_REPORT_VERBS,
  ...WHY_VERBS,
  ...LEDGER_VERBS,
  ...BILL_VERBS,
  ...AUDIT_VERBS,
  ...BACKUP_VERBS,
  ...MIGRATE_VERBS,
]

/** Exit codes: done; the action failed or was refused; the command line is wrong. */
const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2

/** Runs one command and resolves to its exit code. Never rejects. */
export async function runCommand(argv: readonly string[], host: CommandHost): Promise<number> {
  const isJson = argv.includes('--json')
  const command = readCommand(argv)
  try {
    switch (command.type) {
      case 'help':
        host.stdout(`${command.text}\n`)
        return DONE
      case 'unknown':
        throw new UsageError(command.message, command.usage)
      case 'verb':
        return await runVerb(command, host)
    }
  } catch (error) {
    const usage = command.type === 'verb' ? usageLine(command.verb) : undefined
    return report(error, { host, isJson, usage })
  }
}

type Command =
  | { readonly type: 'help'; readonly text: string }
  | { readonly type: 'unknown'; readonly message: string; readonly usage: string }
  | { readonly type: 'verb'; readonly verb: Verb; readonly words: readonly string[] }

function readCommand(argv: readonly string[]): Command {
  let start = 0
  while (argv[start]?.startsWith('-') === true) start += argv[start] === '--data-dir' ? 2 : 1
  const common = argv.slice(0, start)
  const words = argv.slice(start)
  for (const length of [3, 2, 1]) {
    const verb = VERBS.find(({ name }) => name === words.slice(0, length).join(' '))
    if (verb !== undefined) return { type: 'verb', verb, words: [...common, ...words.slice(length)] }
  }
  return withoutVerb(argv, words)
}

function withoutVerb(argv: readonly string[], words: readonly string[]): Command {
  const isHelp = words[0] === 'help'
  const subject = isHelp ? words[1] : words[0]
  const group = VERBS.some(({ name }) => name.startsWith(`${subject} `)) ? subject : undefined
  const asksForHelp = argv.length === 0 || isHelp || argv.includes('--help') || argv.includes('-h')
  if (asksForHelp) {
    const isVerb = VERBS.some(({ name }) => name === subject)
    return { type: 'help', text: helpText(VERBS, isVerb ? subject : group) }
  }
  if (words.length === 0) return { type: 'unknown', message: 'No verb is given.', usage: 'farebox help' }
  // What was typed is not repeated: it may be a secret at the wrong place.
  const message = group === undefined ? 'There is no such verb.' : `'${group}' has no such verb.`
  const near = nearestVerbs(VERBS, words).map(({ name }) => `'${name}'`)
  const advice = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
  return { type: 'unknown', message: `${message}${advice}`, usage: nearestUsage(VERBS, words) }
}

async function runVerb({ verb, words }: Extract<Command, { type: 'verb' }>, host: CommandHost): Promise<number> {
  const { common, run } = verb.prepare(words)
  if (common.help === true) {
    host.stdout(`${verbHelp(verb)}\n`)
    return DONE
  }
  const isJson = common.json === true
  const dataDir = host.dataDir(common.data_dir)
  const connection = openLater(dataDir, host)
  const sources: Sources = {
    ...host,
    folder: dataDir,
    // JSON is asked for by programs.
    ask: isJson ? undefined : host.ask,
    askHidden: isJson ? undefined : host.askHidden,
    isRunning: async () => (await connection.instance()) !== undefined,
    exportLedger: () => exportFrom(dataDir, connection, host),
    verifyLedger: async () => ((await connection.instance()) === undefined ? host.verifyLedger(dataDir) : undefined),
    lockConnections: () => host.lockConnections(dataDir),
    restore: (request) => host.restore(dataDir, request),
    migrate: (request) => host.migrate(dataDir, request),
    openInBrowser: (url) => host.openInBrowser(dataDir, url),
  }
  try {
    if (verb.whenStopped !== undefined && (await connection.instance()) === undefined) {
      return await print(verb.whenStopped, isJson, host)
    }
    return await print(await run(adminClient(connection.transport), sources), isJson, host)
  } finally {
    await connection.close()
  }
}

async function print(output: Output, isJson: boolean, host: CommandHost): Promise<number> {
  if (output.type === 'view') {
    host.stdout(`${isJson ? jsonText(output.value) : output.text}\n`)
    return output.exitCode ?? DONE
  }
  if (output.type === 'ran') return output.exitCode
  if (isJson && output.isJson !== true) throw new UsageError('--csv and --json exclude each other.')
  for await (const chunk of output.chunks) {
    host.stdout(chunk)
    await host.stdoutDrained()
  }
  return DONE
}

type Reporting = { readonly host: CommandHost; readonly isJson: boolean; readonly usage: string | undefined }

function report(error: unknown, { host, isJson, usage: verbUsage }: Reporting): number {
  const usage = error instanceof UsageError ? (error.usage ?? verbUsage) : undefined
  const message = error instanceof Error ? error.message : String(error)
  if (isJson) {
    host.stderr(`${jsonText({ error: { message, ...errorMembers(error), ...(usage && { usage }) } })}\n`)
  } else {
    host.stderr(`farebox: ${printableLines(message)}\n${usage === undefined ? '' : `Usage: ${usage}\n`}`)
  }
  return error instanceof UsageError ? WRONG_USAGE : FAILED
}

/** What the `--json` form of an error has besides its message; `code` is the HTTP status, where there was one. */
function errorMembers(error: unknown): Readonly<Record<string, unknown>> {
  if (error instanceof AdminError) {
    const { errorType, status, param } = error
    return { type: errorType, code: status, ...(param !== undefined && { param }) }
  }
  if (error instanceof UsageError) return { type: 'usage_error' }
  if (error instanceof CommandFailure) return { type: error.errorType, ...error.details }
  return { type: 'internal_error' }
}

/** A gateway that runs is asked for an entry first: before it answers anybody, its tables have what clients were told of. */
async function* exportFrom(dataDir: string, connection: Connection, host: CommandHost): AsyncGenerator<string> {
  const isRunning = (await connection.instance()) !== undefined
  if (isRunning) await adminClient(connection.transport).call('listLedger', { query: { limit: '1' } })
  yield* host.exportLedger(dataDir, { isRunning })
}
