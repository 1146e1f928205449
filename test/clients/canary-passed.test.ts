// Content is never stored: the endpoints whose calls are passed on, and those that take forms, with a marker in every place where a
// client or a provider can put one, with successes and failures.

import { request } from 'node:http'
import { join } from 'node:path'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FORM_CALLS, FORM_MODELS, formOf, type FormCall } from '../passed/form-calls.ts'
import { CALLS, MODELS, type PassedCall } from '../passed/routes.ts'
import { canary, findInBytes, findInFolder, type Canaries } from '../support/canary.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const MARK = {
  asked: canary(),
  member: canary(),
  field: canary(),
  fileName: canary(),
  mediaType: canary(),
  fileContent: canary(),
  largeFile: canary(),
  brokenForm: canary(),
  answer: canary(),
  theirError: canary(),
  theirPage: canary(),
} satisfies Canaries

/** More than one piece of what is kept of an upload, and more than sockets hold. */
const LARGE = Buffer.alloc(3 * 1024 * 1024, `${MARK.largeFile} `)

let upstream: Upstream
let farebox: FareboxProcess
let folder: string
let key: string
/** What clients got. */
let seen = ''

beforeEach(async () => {
  upstream = await startUpstream()
  folder = await temporaryFolder()
  const env = { FAREBOX_UPSTREAM_TRIALS_PER_SECOND: '0', FAREBOX_UPSTREAM_RETRY_DELAY_MS: '1' }
  farebox = await startProcess({ dataDir: join(folder, 'data'), env })
  await setUpUpstream(farebox, upstream.url)
  await farebox.admin.call('apply', { body: { document: { models: [...MODELS, ...FORM_MODELS] } } })
  key = (await farebox.admin.call('createKey', { body: { name: 'canaries', package: 'plenty' } })).key
  seen = ''
})

afterEach(async () => {
  await endProcesses()
  await upstream.close()
})

/** An answer that says the marker somewhere. */
function marked(answer: Behaviour): Behaviour {
  if (answer.type === 'status') return { ...answer, body: { ...(answer.body as object), x_said: MARK.answer } }
  if (answer.type !== 'raw') return answer
  const isEvents = answer.contentType === undefined
  const last = isEvents ? `: ${MARK.answer}\n\n` : MARK.answer
  return { ...answer, parts: [...answer.parts, last] }
}

/** What goes wrong at a provider, and the answer itself. */
const turnsOf = (answer: Behaviour): readonly Behaviour[] => [
  marked(answer),
  { type: 'status', status: 400, body: { error: { message: MARK.theirError, code: MARK.theirError } } },
  { type: 'status', status: 500, body: { error: MARK.theirError } },
  { type: 'raw', parts: [`<h1>${MARK.theirPage}</h1>`], contentType: 'text/html' },
  { ...marked(answer), cut: { at: { byte: 450 }, how: 'reset' } } as Behaviour,
]

async function send(path: string, body: string | FormData, answer: Behaviour): Promise<void> {
  upstream.script(answer)
  const headers = {
    authorization: `Bearer ${key}`,
    'user-agent': MARK.member,
    ...(typeof body === 'string' && { 'content-type': 'application/json' }),
  }
  // An answer that is cut ends for the client as well.
  const got = await fetch(farebox.url + path, { method: 'POST', headers, body })
    .then((response) => response.arrayBuffer())
    .catch(() => new ArrayBuffer(0))
  seen += Buffer.from(got).toString()
}

/** Each text of a request that is a person's has the marker behind it. */
function markedRequest({ model, request: members }: PassedCall): string {
  const mark = (value: unknown): unknown => {
    if (typeof value === 'string') return `${value} ${MARK.asked}`
    return Array.isArray(value) ? value.map(mark) : value
  }
  const { prompt, input, query, documents } = members
  const asked = Object.entries({ prompt, input, query, documents }).filter(([, value]) => value !== undefined)
  const own = Object.fromEntries(asked.map(([name, value]) => [name, mark(value)]))
  return JSON.stringify({ ...members, ...own, model, user: MARK.member, x_unknown: { a: MARK.member } })
}

function markedForm(call: FormCall): FormData {
  const fields = [...call.fields, ['x_unknown', MARK.field] as const]
  const files = call.files.map(([name, content, fileName, mediaType]) => {
    const bytes = Buffer.concat([content, Buffer.from(MARK.fileContent)])
    return [name, bytes, `${MARK.fileName}${fileName}`, `${mediaType}; x=${MARK.mediaType}`] as const
  })
  return formOf({ ...call, fields, files })
}

/** A form that never ends, whose client leaves. */
async function leaveInTheMiddle(): Promise<void> {
  const type = 'multipart/form-data; boundary=b'
  const headers = { authorization: `Bearer ${key}`, 'content-type': type, 'content-length': 9_000_000 }
  const sent = request(`${farebox.url}/v1/audio/transcriptions`, { method: 'POST', headers, agent: false })
  sent.on('error', () => undefined)
  const head = 'content-disposition: form-data; name="file"; filename="a.mp3"'
  sent.write(`--b\r\n${head}\r\n\r\n`)
  await new Promise((resolve) => sent.write(LARGE, resolve))
  sent.destroy()
}

async function sendBrokenForm(): Promise<void> {
  const type = 'multipart/form-data; boundary=b'
  const body = `--b\r\ncontent-disposition: form-data; name="${MARK.brokenForm}"\r\n${MARK.brokenForm}\r\n\r\n${MARK.brokenForm}`
  const headers = { authorization: `Bearer ${key}`, 'content-type': type }
  await (await fetch(`${farebox.url}/v1/audio/transcriptions`, { method: 'POST', headers, body })).text()
}

/** Every byte of the uploads that the process keeps: their files have no name. */
async function keptUploads(): Promise<Buffer> {
  const place = `/proc/${farebox.pid}/fd`
  const contents = (await readdir(place)).map(async (name) => {
    const target = await readlink(join(place, name)).catch(() => '')
    return target.startsWith(join(folder, 'data', 'uploads')) ? readFile(join(place, name)) : Buffer.alloc(0)
  })
  return Buffer.concat(await Promise.all(contents))
}

it('leaves no content of passed calls and forms behind', { timeout: 180_000 }, async () => {
  for (const call of CALLS) {
    for (const answer of turnsOf(call.answer)) await send(call.path, markedRequest(call), answer)
  }
  for (const call of FORM_CALLS) {
    for (const answer of turnsOf(call.answer)) await send(call.path, markedForm(call), answer)
  }
  await sendBrokenForm()
  await leaveInTheMiddle()

  // What is searched for did go through.
  const asked = Buffer.concat(upstream.requests.map(({ bytes }) => bytes))
  for (const mark of [MARK.asked, MARK.member, MARK.field, MARK.fileName, MARK.fileContent]) {
    expect(asked.includes(mark)).toBe(true)
  }
  expect(seen).toContain(MARK.answer)
  expect(seen).toContain(MARK.theirError)
  const { usage } = await farebox.admin.call('usage', { query: { limit: '1000' } })
  const outcomes = usage.map(({ outcome }) => outcome)
  expect(new Set(outcomes)).toEqual(new Set(['answered', 'refused', 'failed', 'cut']))
  expect(outcomes.length).toBeGreaterThan(4 * (CALLS.length + FORM_CALLS.length))

  farebox.kill('SIGKILL')
  await farebox.exited
  expect(await findInFolder(folder, MARK)).toEqual([])
  expect(findInBytes(Buffer.from(farebox.stdout() + farebox.stderr()), MARK)).toEqual([])
})

it.runIf(process.platform === 'linux')('keeps an upload on the disk as nobody can read it', async () => {
  const [call] = FORM_CALLS as readonly [FormCall]
  upstream.script({ ...call.answer, stall: { at: { byte: 1 }, ms: Infinity } })
  const body = formOf({ ...call, files: [['file', LARGE, 'a.mp3', 'audio/mpeg']] })
  const abort = new AbortController()
  const headers = { authorization: `Bearer ${key}` }
  const asked = fetch(farebox.url + call.path, { method: 'POST', headers, body, signal: abort.signal })
  const answered = asked.then(
    (response) => response.arrayBuffer(),
    () => undefined,
  )
  // While its provider thinks about it, all of it lies there.
  await expect.poll(() => upstream.requests.at(-1)?.bytes.length ?? 0).toBeGreaterThan(LARGE.length)
  const bytes = await keptUploads()
  expect(bytes).toHaveLength(LARGE.length)
  expect(findInBytes(bytes, MARK)).toEqual([])
  abort.abort()
  await answered.catch(() => undefined)
  await expect.poll(async () => (await keptUploads()).length).toBe(0)
})
