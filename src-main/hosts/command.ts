// The command line's entry: gives the commands the real terminal, files and data folder.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { AppSurroundings } from '#app/app.ts'
import { readConfig, VERSION, type Config } from '#config/config.ts'
import { homeFolder } from '#config/home-folder.ts'
import { openInBrowser } from '#cli/browser.ts'
import type { AdminTransport } from '#cli/client.ts'
import type { CommandHost, MigrationOutcome, MigrationRequest, ProgramProblem, RestoreOutcome } from '#cli/host.ts'
import { runCommand } from '#cli/run.ts'
import { findProgram, startOf } from '#connect/program.ts'
import { MACHINE } from '#hosts/machine.ts'
import type { LedgerReport as LedgerReportView } from '#contract/schemas.ts'

/** Runs one command and returns its exit code. */
export async function main(argv: string[], surroundings?: AppSurroundings): Promise<number> {
  if (argv[0] === '--version') {
    process.stdout.write(`farebox ${VERSION}\n`)
    return 0
  }
  return runCommand(
    argv,
    commandHost((dataDir) => openInProcess(dataDir, surroundings)),
  )
}

/** The real surroundings of a command; how the store is opened differs between a command and the start. */
export function commandHost(openStore: CommandHost['openInProcess']): CommandHost {
  return {
    env: process.env,
    stdout: (output) => void process.stdout.write(output),
    stdoutDrained: () =>
      new Promise((resolve) => {
        if (process.stdout.writableNeedDrain) process.stdout.once('drain', resolve)
        else resolve()
      }),
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    stderr: (output) => void process.stderr.write(output),
    homeDir: homeFolder(),
    platform: process.platform,
    workingDir: process.cwd(),
    machine: MACHINE,
    priceCard: async () => (await import('#catalog/card-prices.ts')).cardPrices(),
    runProgram,
    readFile: (path) => readFile(path, 'utf8'),
    readStdin: () => text(process.stdin),
    ask: process.stdin.isTTY && process.stdout.isTTY ? askPerson : undefined,
    askHidden: process.stdin.isTTY && process.stdout.isTTY ? askHidden : undefined,
    lockConnections: lockAt,
    writeFile: writeWhole,
    exportLedger: exportOf,
    verifyLedger: verifyAt,
    restore: restoreInto,
    migrate: moveBooksOf,
    openInBrowser: (dataDir, url) => openInBrowser(url, { dataDir, platform: process.platform, env: process.env }),
    dataDir: (flag) => configFor(flag).dataDir,
    openInProcess: openStore,
  }
}

async function openInProcess(
  dataDir: string,
  surroundings: AppSurroundings | undefined,
): Promise<{ transport: AdminTransport; close(): Promise<void> }> {
  // Loaded only here: most commands talk to a gateway that runs.
  const { openApp } = await import('#app/open.ts')
  const app = await openApp(configFor(dataDir), (line) => process.stderr.write(`${line}\n`), surroundings)
  return { transport: (request) => app.inject(request, 'command line'), close: async () => void (await app.close()) }
}

/** Signals of the terminal reach the program itself, so that this process waits for it whatever happens. */
async function runProgram(
  [command = '', ...words]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number | ProgramProblem> {
  const { env: ownEnv, platform } = process
  // Elsewhere the system looks on PATH alone.
  const program = platform === 'win32' ? findProgram(command, { env: ownEnv, platform }) : command
  if (program === undefined) return 'not_found'
  const start = startOf(program, words, { env: ownEnv, platform })
  if (start === undefined) return 'line_break'
  const options = { stdio: 'inherit', env: { ...ownEnv, ...env }, windowsVerbatimArguments: start.isVerbatim } as const
  const ignore = () => undefined
  process.on('SIGINT', ignore)
  try {
    return await new Promise<number | ProgramProblem>((resolve) => {
      const child = spawn(start.program, start.words, options)
      child.once('error', () => resolve('not_found'))
      child.once('exit', (code) => resolve(code ?? 1))
    })
  } finally {
    process.off('SIGINT', ignore)
  }
}

async function askPerson(question: string): Promise<string> {
  // Only its last line is the prompt: a prompt of many lines is drawn anew with every key.
  const lineStart = question.lastIndexOf('\n') + 1
  process.stdout.write(question.slice(0, lineStart))
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  // At the end of input there is no answer; that is as good as an empty one.
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  try {
    return await Promise.race([terminal.question(question.slice(lineStart)), ended])
  } finally {
    terminal.close()
  }
}

/** A terminal in this mode leaves it to the program to show what is typed, and this one shows nothing. */
async function askHidden(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  // Before the question: until it is there, the terminal itself shows what is typed.
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  process.stdout.write(question)
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  try {
    return await Promise.race([terminal.question(''), ended])
  } finally {
    terminal.close()
    process.stdout.write('\n')
  }
}

/** Written beside its place, under a name that nothing there has, and moved there when it is whole and on disk. */
async function writeWhole(path: string, chunks: AsyncIterable<string>): Promise<void> {
  const draft = `${path}.${randomUUID().slice(0, 8)}.new`
  const file = await open(draft, 'wx', 0o600)
  try {
    try {
      for await (const chunk of chunks) await file.write(chunk)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

async function lockAt(dataDir: string): Promise<{ release(): void } | undefined> {
  const { lockConnections } = await import('#store/lock.ts')
  return lockConnections(dataDir)
}

async function* exportOf(dataDir: string, where: { readonly isRunning: boolean }): AsyncGenerator<string> {
  const [{ openWholeBooks }, { exportLedger }] = await Promise.all([
    import('#app/whole-books.ts'),
    import('#ledger/export.ts'),
  ])
  const { db, close } = openWholeBooks(dataDir, where)
  try {
    yield* exportLedger(db, { program: `farebox ${VERSION}`, exportedAt: new Date().toISOString() })
  } finally {
    close()
  }
}

async function verifyAt(dataDir: string): Promise<LedgerReportView | undefined> {
  const { verifyFolder } = await import('#app/verify-folder.ts')
  return verifyFolder(dataDir)
}

async function restoreInto(
  dataDir: string,
  { file, isDryRun }: { file: string; isDryRun: boolean },
): Promise<RestoreOutcome> {
  const { restore } = await import('#app/restore.ts')
  const { vaultKeyFile } = configFor(dataDir)
  return restore({ dataDir, file, isDryRun, vaultKeyFile, nowMs: Date.now() })
}

async function moveBooksOf(dataDir: string, { errand, url }: MigrationRequest): Promise<MigrationOutcome> {
  const { migrate } = await import('#app/migrate.ts')
  const config = configFor(dataDir, url === undefined ? {} : { FAREBOX_DATABASE_URL: url })
  return migrate({ config, errand, log: (line) => process.stderr.write(`${line}\n`) })
}

function configFor(dataDir: string | undefined, env: Readonly<Record<string, string>> = {}): Config {
  const argv = dataDir === undefined ? [] : ['--data-dir', dataDir]
  const read = readConfig({ argv, env: { ...process.env, ...env }, platform: process.platform, homeDir: homeFolder() })
  if (read.type === 'mistake') throw new Error(read.message)
  return read.config
}
