// Writes docs/upstreams.md from what a run found out, so that the page cannot say anything else than the servers did.

import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { FORMATS } from './asking.ts'
import { CASES } from './cells.ts'
import { CHECKS } from './checks.ts'
import type { Result } from './results.ts'

const DOCUMENT = fileURLToPath(new URL('../../docs/upstreams.md', import.meta.url))

const INTRODUCTION = `# Real upstreams

This page is for whoever wants to know with which servers Farebox was really run. \`npm run test:upstreams\` writes it: it installs
the servers below from their registry, gives them models of random weights that always answer the same, puts a Farebox process
before them, and asks in every client format.

A cell is \`ok\` where the client got exactly what the model says, neither twice nor cut, where the receipt has the tokens that the
server counted, and where the charge is the price times those tokens. An overflow is \`ok\` where a client is told in the words that
its own format's tools wait for, once and at no charge. Every other cell has a number, and below the tables stands what was wrong:
with the **server**, or with **Farebox**.
`

const OTHERS = `## Everything else

Each check runs for every client format that has it, streamed and whole. **Cancel** leaves in the middle of an answer, **kill** ends the
server there, and **24 at once** are calls of all formats at the same time.
`

export async function writeDocument(
  results: readonly Result[],
  packages: readonly string[],
  date: string,
): Promise<void> {
  const notes = new Notes()
  const cells = results.filter(({ format: client }) => client !== undefined)
  const checks = results.filter(({ format: client }) => client === undefined)
  const pages = [
    INTRODUCTION,
    `The last run was on ${date} with ${packages.join(', ')}.\n`,
    '## Formats and dialects\n',
    cellTable(cells, notes),
    OTHERS,
    checkTable(checks, notes),
    notes.section(),
  ]
  const options = (await resolveConfig(DOCUMENT)) ?? {}
  await writeFile(DOCUMENT, await format(pages.join('\n'), { ...options, filepath: DOCUMENT }))
}

function cellTable(results: readonly Result[], notes: Notes): string {
  const columns = CASES.flatMap((name) => [false, true].map((stream) => ({ name, stream })))
  const head = [
    'server',
    'dialect',
    'client',
    ...columns.map(({ name, stream }) => `${name}, ${stream ? 'stream' : 'whole'}`),
  ]
  const rows = rowsOf(results).flatMap(({ server, dialect, own }) =>
    FORMATS.map((client) => [
      server,
      `\`${dialect}\``,
      client,
      ...columns.map(({ name, stream }) =>
        notes.cell(own.find((one) => one.format === client && one.column === name && one.stream === stream)),
      ),
    ]),
  )
  return table([head, ...rows])
}

function checkTable(results: readonly Result[], notes: Notes): string {
  const names = CHECKS.map(({ name }) => name)
  const rows = rowsOf(results).map(({ server, dialect, own }) => [
    server,
    `\`${dialect}\``,
    ...names.map((name) => notes.cell(own.find(({ column }) => column === name))),
  ])
  return table([['server', 'dialect', ...names], ...rows])
}

function rowsOf(results: readonly Result[]) {
  const groups = Map.groupBy(results, ({ server, dialect }) => `${server} ${dialect}`)
  return [...groups.values()].flatMap((own) => {
    const [first] = own
    return first === undefined ? [] : [{ server: first.server, dialect: first.dialect, own }]
  })
}

/** Failures by number, each sentence once. */
class Notes {
  readonly #sentences: string[] = []

  cell(result: Result | undefined): string {
    if (result === undefined) return '-'
    const { failure } = result
    if (failure === undefined) return 'ok'
    const { serverFault, reason } = failure
    const sentence = serverFault === undefined ? `**Farebox**: ${reason}` : `**server**: ${serverFault}`
    if (!this.#sentences.includes(sentence)) this.#sentences.push(sentence)
    const number = this.#sentences.indexOf(sentence) + 1
    return `${serverFault === undefined ? 'fails' : 'server'} (${number})`
  }

  section(): string {
    if (this.#sentences.length === 0) return ''
    const lines = this.#sentences.map((sentence, index) => `${index + 1}. ${sentence.replaceAll('<', '&lt;')}`)
    return `## What does not hold\n\n${lines.join('\n')}\n`
  }
}

function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...rest] = rows
  return `${[head, head.map(() => '---'), ...rest].map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`
}
