// What Farebox sends to clients and to providers is of the types that the vendors publish: those of their own Python SDKs, installed at
// pinned versions and read more strictly than the SDKs read them (check.py). Where it differs on purpose, known.ts says why.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { requirementsIfThere } from '../support/python-packages.ts'
import { gatewaySamples } from './gateway-samples.ts'
import { KNOWN, type Problem } from './known.ts'
import { composedAnswers, recordedAnswers, sessionRequests, translatedRequests, type Sample } from './samples.ts'

const LIMIT_MS = 600_000
const GROUPS = {
  'composed answers': composedAnswers,
  'answers of real servers': recordedAnswers,
  'requests to providers': translatedRequests,
  'requests of sessions': sessionRequests,
  'a running gateway': gatewaySamples,
} as const satisfies Readonly<Record<string, () => Sample[] | Promise<Sample[]>>>

const packages = await requirementsIfThere('vendor-schemas', join(import.meta.dirname, 'requirements.txt'))

type Finding = {
  readonly schema: string
  readonly member: string
  readonly problem: Problem
  readonly says: string
  readonly from: string
}

/** One run of the program that knows the types: for each sample, what is wrong with it. */
async function check(samples: readonly Sample[]): Promise<Finding[]> {
  // Most chunks of a stream are like those of others.
  const different = [...new Map(samples.map((sample) => [`${sample.schema} ${sample.text}`, sample])).values()]
  const env = { ...process.env, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' }
  const program = spawn('python3', [join(import.meta.dirname, 'check.py')], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  program.stdin.end(JSON.stringify(different.map(({ schema, text: wire }) => [schema, wire])))
  const answers = JSON.parse(await text(program.stdout)) as (readonly [member: string, says: string])[][]
  return different.flatMap(({ schema, from }, index) =>
    (answers[index] ?? []).map(([member, says]) => ({ schema, member, problem: problemOf(says), says, from })),
  )
}

function problemOf(says: string): Problem {
  if (says === 'Extra inputs are not permitted') return 'unknown'
  return says === 'Field required' ? 'missing' : 'other type'
}

function isKnown({ schema, member, problem }: Finding): boolean {
  return KNOWN.some(
    (known) => known.problem === problem && known.members.includes(member) && known.schemas.includes(schema),
  )
}

/** What is wrong and not known, each once with a place where it is. */
function unknown(findings: readonly Finding[]): Finding[] {
  const rows = findings.filter((finding) => !isKnown(finding))
  return [...new Map(rows.map((row) => [`${row.schema} ${row.member} ${row.says}`, row])).values()]
}

const CHUNK = { id: 'a', object: 'chat.completion.chunk', created: 1, model: 'm' }
const LOWER_CASE = { functionDeclarations: [{ name: 'f', parameters: { type: 'object' } }] }
/** What no vendor takes, so that a check that has gone blind is noticed. */
const WRONG: readonly (readonly [schema: string, wire: object, problem: Problem, member: string])[] = [
  ['chat event', { ...CHUNK, choices: [{ index: 0, delta: { own: 1 } }] }, 'unknown', '.choices[].delta.own'],
  ['chat event', { ...CHUNK, created: '1', choices: [] }, 'other type', '.created'],
  ['messages event', { type: 'content_block_stop' }, 'missing', '.index'],
  ['responses event', { type: 'response.output_text.delta' }, 'missing', '.delta'],
  [
    'messages request',
    { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
    'missing',
    '.messages[].content[].text',
  ],
  [
    'gemini request',
    { contents: [{ role: 'user', parts: [{ in_line: {} }] }] },
    'unknown',
    '.contents[].parts[].in_line',
  ],
  [
    'gemini request',
    { contents: [], tools: [LOWER_CASE] },
    'other type',
    '.tools[].functionDeclarations[].parameters.type',
  ],
]

describe.skipIf(packages === undefined)("the vendors' types", () => {
  const samples = new Map<string, readonly Sample[]>()
  let findings: readonly Finding[] = []

  beforeAll(async () => {
    for (const [name, collect] of Object.entries(GROUPS)) samples.set(name, await collect())
    const wrong = WRONG.map(([schema, wire], index) => ({ schema, text: JSON.stringify(wire), from: `wrong ${index}` }))
    findings = await check([...[...samples.values()].flat(), ...wrong])
  }, LIMIT_MS)

  it.each(Object.keys(GROUPS))('hold: %s', (name) => {
    const ours = samples.get(name) ?? []
    expect(ours.length).toBeGreaterThan(100)
    const places = new Set(ours.map(({ from }) => from))
    expect(unknown(findings.filter(({ from }) => places.has(from)))).toEqual([])
  })

  it('differ in everything that is said to differ', () => {
    const unused = KNOWN.flatMap(({ schemas, members, problem }) => {
      const found = findings.filter((one) => one.problem === problem && schemas.includes(one.schema))
      return members.filter((member) => !found.some((one) => one.member === member))
    })
    expect(unused).toEqual([])
  })

  it.each(WRONG.map((wrong, index) => [...wrong, index] as const))(
    'refuse a wrong %s',
    (_, __, problem, member, index) => {
      expect(findings).toContainEqual(expect.objectContaining({ from: `wrong ${index}`, problem, member }))
    },
  )
})
