// The world outside a command, in memory, with everything that was printed and opened.

import { runCommand } from '#cli/run.ts'
import type { CommandHost, MigrationOutcome, MigrationRequest, RestoreOutcome } from '#cli/host.ts'
import { fakeGateway, type FakeGateway } from './fake-gateway.ts'

export type World = {
  readonly gateway?: FakeGateway
  readonly env?: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** What a person types when asked, one after the other; without any nobody sits at a terminal. */
  readonly typed?: readonly string[]
  readonly dataDir?: string
  readonly priceCard?: Awaited<ReturnType<CommandHost['priceCard']>>
  /** Below which tools keep their settings. */
  readonly homeDir?: string
  /** Why the store cannot be opened. */
  readonly openFails?: string
  /** The pieces of an export; without any there is nothing to export. */
  readonly exported?: readonly string[]
  readonly hasBrowser?: boolean
  /** How wide the terminal is; without it there is none. */
  readonly columns?: number
  /** What becomes of a restore. */
  readonly restored?: RestoreOutcome
  /** What becomes of a move into a shared database, or out of it. */
  readonly moved?: MigrationOutcome
}

export type Ran = {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly requests: FakeGateway['requests']
  /** What happened to the store, in order. */
  readonly store: readonly string[]
  /** What a person was asked. */
  readonly questions: readonly string[]
  readonly written: Readonly<Record<string, string>>
  /** What was to be shown in a browser. */
  readonly opened: readonly string[]
  /** Every program that was run in the terminal. */
  readonly programs: readonly { readonly command: readonly string[]; readonly env: Readonly<Record<string, string>> }[]
  /** Every restore that was asked for. */
  readonly restores: readonly { readonly dataDir: string; readonly file: string; readonly isDryRun: boolean }[]
  /** Every move that was asked for. */
  readonly moves: readonly (MigrationRequest & { readonly dataDir: string })[]
}

/** A folder in which no gateway has ever run. */
const NO_INSTANCE_DIR = '/nonexistent/farebox-data'

export async function run(argv: readonly string[], world: World = {}): Promise<Ran> {
  const gateway = world.gateway ?? fakeGateway()
  const printed = { stdout: '', stderr: '' }
  const store: string[] = []
  const questions: string[] = []
  const typed = [...(world.typed ?? [])]
  const written: Record<string, string> = {}
  const restores: Ran['restores'][number][] = []
  const moves: Ran['moves'][number][] = []
  const opened: string[] = []
  const programs: Ran['programs'][number][] = []
  const answerTyped = async (question: string) => {
    questions.push(question)
    return typed.shift() ?? ''
  }
  const host: CommandHost = {
    env: world.env ?? {},
    stdout: (text) => void (printed.stdout += text),
    stdoutDrained: async () => undefined,
    columns: world.columns,
    stderr: (text) => void (printed.stderr += text),
    homeDir: world.homeDir ?? '/nonexistent/home',
    platform: 'linux',
    workingDir: '/nonexistent/project',
    priceCard: async () => world.priceCard ?? { date: '2027-01-01', priceOfModel: () => undefined },
    machine: {
      nativeModuleProblem: async () => null,
      dataFolderProblem: async () => null,
      freeBytes: () => null,
      portOwner: async () => null,
    },
    runProgram: async (command, env) => {
      programs.push({ command, env })
      return 0
    },
    readFile: async (path) => readFake(path, world.files ?? {}),
    readStdin: async () => world.stdin ?? '',
    verifyLedger: async () => undefined,
    ask: world.typed === undefined ? undefined : answerTyped,
    askHidden: world.typed === undefined ? undefined : answerTyped,
    dataDir: (flag) => flag ?? world.dataDir ?? NO_INSTANCE_DIR,
    lockConnections: async () => ({ release: () => undefined }),
    writeFile: async (path, chunks) => {
      for await (const chunk of chunks) written[path] = (written[path] ?? '') + chunk
    },
    exportLedger: (dataDir) => exportFake(dataDir, world),
    openInBrowser: async (_dataDir, url) => {
      opened.push(url)
      return world.hasBrowser ?? false
    },
    restore: async (dataDir, request) => {
      restores.push({ dataDir, ...request })
      return world.restored ?? { type: 'refused', message: 'There is no such file.' }
    },
    migrate: async (dataDir, request) => {
      moves.push({ dataDir, ...request })
      return world.moved ?? { type: 'refused', message: 'There is nothing to move.' }
    },
    openInProcess: async (dataDir) => {
      store.push(`open ${dataDir}`)
      if (world.openFails !== undefined) throw new Error(world.openFails)
      return { transport: gateway.transport, close: async () => void store.push('close') }
    },
  }
  const exitCode = await runCommand(argv, host)
  return {
    exitCode,
    ...printed,
    requests: gateway.requests,
    store,
    questions,
    written,
    restores,
    moves,
    opened,
    programs,
  }
}

/** The text of a fake file, or the error that the system gives for a missing one. */
export function readFake(path: string, files: Readonly<Record<string, string>>): string {
  const text = files[path]
  if (text === undefined) throw Object.assign(new Error(`ENOENT: no such file, open '${path}'`), { code: 'ENOENT' })
  return text
}

async function* exportFake(dataDir: string, { exported }: World): AsyncGenerator<string> {
  if (exported === undefined) throw new Error(`There is no database of Farebox in ${dataDir}.`)
  yield* exported
}
