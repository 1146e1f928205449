// What a command may touch of the world outside: everything comes in here, so that commands run alike in a terminal, under
// a test and inside the launcher.

import type { AdminTransport } from '#cli/client.ts'
import type { LedgerReport } from '#contract/schemas.ts'
import type { Price } from '#core/price.ts'

/** `line_break`: a word has a line break, and the program is a command file of Windows, which cannot be given one. */
export type ProgramProblem = 'not_found' | 'line_break'

export type CommandHost = {
  readonly env: Readonly<Record<string, string | undefined>>
  stdout(text: string): void
  /** Resolves when what was printed has left, so that something long never piles up in memory. */
  stdoutDrained(): Promise<void>
  /** How many letters fit into a line of the terminal; undefined where the output does not go to a terminal. */
  readonly columns: number | undefined
  stderr(text: string): void
  /** Where tools keep their settings below, and what they look like on this system. */
  readonly homeDir: string
  readonly platform: NodeJS.Platform
  /** Where the command was called. */
  readonly workingDir: string
  readonly machine: MachineProbe
  /** The day of the price card, and what it has for a model. */
  priceCard(): Promise<{ readonly date: string; readonly priceOfModel: (model: string) => Price | undefined }>
  /** Runs a program in this terminal, without a shell, and resolves with its exit code. */
  runProgram(command: readonly string[], env: Readonly<Record<string, string>>): Promise<number | ProgramProblem>
  /** The text of a file; rejects with the system's error when there is none. */
  readFile(path: string): Promise<string>
  /** Everything on standard input. */
  readStdin(): Promise<string>
  /** Prints a question and resolves with the line that a person types; undefined where there is no terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined
  /** The same without showing what is typed, for passwords. */
  readonly askHidden: ((question: string) => Promise<string>) | undefined
  /** The data folder to work on, from the `--data-dir` flag, the environment or the platform's default. */
  dataDir(flag: string | undefined): string
  /** Keeps others from connecting tools until it is released; undefined where somebody is at it. */
  lockConnections(dataDir: string): Promise<{ release(): void } | undefined>
  /** Writes a file that only this user can read, and that is there only once it is whole. */
  writeFile(path: string, chunks: AsyncIterable<string>): Promise<void>
  /**
   * The books as JSON lines, read beside a gateway that runs or does not; in pieces, as one consistent snapshot. Throws
   * when there are none to read. A gateway that runs must have brought its tables up to date.
   */
  exportLedger(dataDir: string, where: { readonly isRunning: boolean }): AsyncIterable<string>
  /**
   * Checks the books of a data folder on which no gateway runs, without writing anything there. undefined where there are none that
   * can be checked as they are: no database, or one of an older Farebox.
   */
  verifyLedger(dataDir: string): Promise<LedgerReport | undefined>
  /** Puts a backup in the place of the database of a data folder on which no gateway runs. `file` is an absolute path. */
  restore(dataDir: string, request: { readonly file: string; readonly isDryRun: boolean }): Promise<RestoreOutcome>
  /**
   * Moves the books of a data folder on which no gateway runs into a shared database, or takes them back out of it. `url` is its address; where it is not
   * given the environment names it.
   */
  migrate(dataDir: string, request: MigrationRequest): Promise<MigrationOutcome>
  /** Shows a URL that holds a ticket; false where no browser is found. */
  openInBrowser(dataDir: string, url: string): Promise<boolean>
  /** Opens the store itself, for when no gateway runs on the data folder. Rejects when it cannot. */
  openInProcess(dataDir: string): Promise<{ transport: AdminTransport; close(): Promise<void> }>
}

/** What is wrong with this machine; each null where nothing is, or nothing can be told. */
export type MachineProbe = {
  nativeModuleProblem(): Promise<string | null>
  dataFolderProblem(dataDir: string): Promise<string | null>
  freeBytes(dataDir: string): number | null
  /** Who listens on a port of this machine, as a few words; null for nobody. */
  portOwner(port: number): Promise<string | null>
}

export type KeyState = 'active' | 'suspended' | 'expired' | 'revoked'

/** What a restore did, or in a dry run would do. */
export type RestoreOutcome =
  | { readonly type: 'refused'; readonly message: string }
  | {
      readonly type: 'restored'
      /** Where the database is kept that was there; null where there was none, and in a dry run. */
      readonly keptAs: string | null
      /** When the last entry of the backup was made. */
      readonly endsAt: string | null
      readonly schema: number
      readonly books: BookCounts & { readonly keys: number; readonly openHolds: number }
      /** What was there; null where nothing was, or nothing that could be read. */
      readonly present: BookCounts | null
      /** Keys that are in another state than before; null where there is none. */
      readonly keys: readonly {
        readonly name: string
        readonly before: KeyState | null
        readonly after: KeyState | null
      }[]
      /** Providers whose secrets are not on this machine. */
      readonly withoutSecrets: readonly string[]
    }
type BookCounts = { readonly entries: number; readonly usageRecords: number }

export type MigrationRequest = { readonly errand: 'bring' | 'take-back'; readonly url: string | undefined }

/** What a move did. Nothing is wrong where there are no problems; sums are counts, or credits. */
export type MigrationOutcome =
  | { readonly type: 'refused'; readonly message: string }
  | {
      readonly type: 'moved'
      readonly sums: readonly { readonly what: string; readonly here: number; readonly shared: number }[]
      readonly problems: readonly string[]
    }

/** The part of the host that a verb may use besides the client. */
export type Sources = Pick<
  CommandHost,
  | 'env'
  | 'readFile'
  | 'readStdin'
  | 'writeFile'
  | 'ask'
  | 'askHidden'
  | 'columns'
  | 'homeDir'
  | 'platform'
  | 'workingDir'
  | 'machine'
  | 'priceCard'
  | 'runProgram'
> & {
  /** The data folder that the command is about. */
  readonly folder: string
  /** The lock of the data folder that the command is about. */
  lockConnections(): ReturnType<CommandHost['lockConnections']>
  /** Whether a gateway runs on that folder. */
  isRunning(): Promise<boolean>
  /** The export of the data folder that the command is about. */
  exportLedger(): AsyncIterable<string>
  /** The check of the data folder that the command is about; undefined where a gateway runs, which is asked instead. */
  verifyLedger(): Promise<LedgerReport | undefined>
  /** Shows a page of the gateway that the command is about. */
  openInBrowser(url: string): Promise<boolean>
  /** Restores into the data folder that the command is about. */
  restore(request: Parameters<CommandHost['restore']>[1]): Promise<RestoreOutcome>
  /** Moves the books of the data folder that the command is about. */
  migrate(request: MigrationRequest): Promise<MigrationOutcome>
}
