// What is wrong with a form is refused with the name that is wrong, reaches nobody, costs nothing, and leaves nothing behind.

import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectError, usageOf, type ErrorStatus, type Pair } from '../gateway/support.ts'
import { BOUNDARY, fieldHead, fileHead, FORM_MODELS, postRaw, rawForm, sendForm, type FormCall } from './form-calls.ts'
import { startPassed } from './support.ts'

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startPassed({ FAREBOX_MAX_UPLOAD_MIB: '1' })
  await pair.farebox.admin.call('apply', { body: { document: { models: [...FORM_MODELS] } } })
  key = await pair.farebox.newKey('plenty')
})

afterEach(async () => {
  expect(pair.upstream.requests).toEqual([])
  expect(await pair.farebox.balance(key)).toMatchObject({ used_credits: 0, held_credits: 0, total_requests: 0 })
  expect(await readdir(join(pair.farebox.dataDir, 'uploads')).catch(() => [])).toEqual([])
})

afterAll(async () => {
  expect(await usageOf(pair.farebox)).toEqual([])
  expect(pair.farebox.log).toEqual([])
  await pair.close()
})

const MODEL = [fieldHead('model'), 'ear'] as const
const FILE = [fileHead(), 'sound'] as const
const MIB = 1024 * 1024
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const text = (body: string) => Buffer.from(body.replaceAll('\n', '\r\n'))

type Wrong = [what: string, body: () => Buffer, param?: string | undefined, status?: ErrorStatus]

const FIELDS: Wrong[] = [
  ['no model', () => rawForm(FILE), 'model'],
  ['an empty model', () => rawForm(FILE, [fieldHead('model'), '']), 'model'],
  ['two models', () => rawForm(FILE, MODEL, MODEL), 'model'],
  ['a model in other letters', () => rawForm(FILE, MODEL, [fieldHead('Model'), 'scribe']), 'Model'],
  ['a model that is a file', () => rawForm(FILE, [fileHead('model'), 'ear']), 'model'],
  ['no file', () => rawForm(MODEL), 'file'],
  ['an empty file', () => rawForm([fileHead(), ''], MODEL), 'file'],
  ['two files', () => rawForm(FILE, FILE, MODEL), 'file'],
  ['a file that is none', () => rawForm([fieldHead('file'), 'sound'], MODEL), 'file'],
  ['a file of another name', () => rawForm(FILE, [fileHead('prompt'), 'a'], MODEL), 'prompt'],
  ['a stream that is no switch', () => rawForm(FILE, MODEL, [fieldHead('stream'), 'yes']), 'stream'],
  ['a temperature that is no number', () => rawForm(FILE, MODEL, [fieldHead('temperature'), '1e9']), 'temperature'],
  ['too high a temperature', () => rawForm(FILE, MODEL, [fieldHead('temperature'), '2']), 'temperature'],
  ['a name twice', () => rawForm(FILE, MODEL, [fieldHead('a'), '1'], [fieldHead('a'), '1']), 'a'],
  ['a text that is not UTF-8', () => rawForm(FILE, MODEL, [fieldHead('prompt'), Buffer.from([0xff])]), 'prompt'],
  ['a huge field', () => rawForm(FILE, MODEL, [fieldHead('prompt'), 'a'.repeat(300_000)]), 'prompt', 413],
  ['a model that nobody has', () => rawForm(FILE, [fieldHead('model'), 'none']), 'model', 404],
  ['a model of another kind', () => rawForm(FILE, [fieldHead('model'), 'chat']), 'model'],
]

const FORMS: Wrong[] = [
  ['an empty body', () => Buffer.alloc(0)],
  ['no boundary', () => text('hello\nworld\n')],
  ['JSON', () => text('{"model":"ear"}')],
  ['another boundary', () => Buffer.from(rawForm(FILE, MODEL).toString().replaceAll(BOUNDARY, 'other'))],
  ['no last boundary', () => rawForm(FILE, MODEL).subarray(0, -`--${BOUNDARY}--\r\n`.length)],
  ['half a last boundary', () => rawForm(FILE, MODEL).subarray(0, -4)],
  ['an end in the middle of a file', () => rawForm(MODEL, [fileHead(), 'a'.repeat(9000)]).subarray(0, 5000)],
  ['an end in the middle of a head', () => rawForm(MODEL, FILE).subarray(0, 120)],
  ['a part without a head', () => text(`--${BOUNDARY}\n\nsound\n--${BOUNDARY}--\n`)],
  ['a part without a name', () => rawForm(['content-disposition: form-data', 'a'], MODEL)],
  ['a part that is none of a form', () => rawForm(['content-disposition: attachment; name="file"', 'a'], MODEL)],
  ['a part that does not say what it is', () => rawForm(['content-type: audio/mpeg', 'a'], MODEL)],
  ['a name twice in one head', () => rawForm([`${fieldHead('model')}; name="file"`, 'a'], FILE)],
  ['two heads in one', () => rawForm([`${fieldHead('model')}\r\n${fieldHead('file')}`, 'a'], FILE)],
  ['a name that does not end', () => rawForm(['content-disposition: form-data; name="file', 'a'], MODEL)],
  ['a name of a line', () => rawForm(['content-disposition: form-data; name="a\nb"', 'a'], FILE, MODEL)],
  ['a name that is no word', () => rawForm([fieldHead('a b'), 'a'], FILE, MODEL)],
  ['no name at all', () => rawForm([fieldHead(''), 'a'], FILE, MODEL)],
  ['a file in base64', () => rawForm([`${fileHead()}\r\ncontent-transfer-encoding: base64`, 'AAAA'], MODEL)],
  ['a head of a line that is no header', () => rawForm([`${fieldHead('a')}\r\nhello`, 'a'], FILE, MODEL)],
  ['a huge head', () => rawForm([`${fieldHead('a')}\r\nx: ${'a'.repeat(5000)}`, 'a'], FILE, MODEL)],
  ['a head without an end', () => Buffer.from(`--${BOUNDARY}\r\nx: ${'a'.repeat(50_000)}`)],
  ['a boundary with more on its line', () => text(`--${BOUNDARY}x\n${fieldHead('a')}\n\na\n--${BOUNDARY}--\n`)],
  ['too many fields', () => rawForm(FILE, MODEL, ...times(100, (index) => [fieldHead(`a${index}`), ''] as const))],
  ['too many files', () => rawForm(MODEL, ...times(100, () => FILE))],
  ['too large a file', () => rawForm(MODEL, [fileHead(), Buffer.alloc(MIB + 1)]), undefined, 413],
  ['many megabytes', () => rawForm(MODEL, [fileHead(), Buffer.alloc(3 * MIB)]), undefined, 413],
]

describe('a form is refused that has', () => {
  it.each<Wrong>([...FIELDS, ...FORMS])('%s', async (_what, body, param, status = 400) => {
    await expectError(await postRaw(pair, body(), key), status, param === undefined ? {} : { param })
  })

  it.each([
    ['no boundary in its type', 'multipart/form-data'],
    ['an empty boundary', 'multipart/form-data; boundary='],
    ['a boundary that is too long', `multipart/form-data; boundary=${'a'.repeat(71)}`],
    ['a boundary of other characters', 'multipart/form-data; boundary="a\\"b"'],
    ['another type', 'multipart/mixed; boundary=a-boundary'],
    ['the type of a form without files', 'application/x-www-form-urlencoded'],
  ])('%s', async (_what, type) => {
    await expectError(await postRaw(pair, rawForm(FILE, MODEL), key, { 'content-type': type }), 400)
  })
})

/** The last of the contents stands for all files that follow. */
const image = (
  fields: FormCall['fields'],
  files: readonly string[],
  path = '/v1/images/edits',
  ...contents: readonly string[]
) =>
  ({
    path,
    model: 'image',
    fields,
    files: files.map((name, place) => {
      const content = contents[place] ?? contents.at(-1) ?? 'a'
      return [name, Buffer.from(content), 'a.png', 'image/png']
    }),
  }) as unknown as FormCall

describe('a form for images is refused that has', () => {
  it.each<[string, FormCall, string]>([
    ['no image', image([['prompt', 'a']], ['mask']), 'image'],
    ['no prompt', image([], ['image']), 'prompt'],
    [
      'too many images',
      image(
        [['prompt', 'a']],
        times(17, () => 'image[]'),
      ),
      'image[]',
    ],
    ['two masks', image([['prompt', 'a']], ['image', 'mask', 'mask']), 'mask'],
    [
      'a number that is none',
      image(
        [
          ['prompt', 'a'],
          ['n', 'many'],
        ],
        ['image'],
      ),
      'n',
    ],
    [
      'a number in another notation',
      image(
        [
          ['prompt', 'a'],
          ['n', '0x2'],
        ],
        ['image'],
      ),
      'n',
    ],
    ['too many variations', image([['n', '11']], ['image'], '/v1/images/variations'), 'n'],
    ['no image to vary', image([], [], '/v1/images/variations'), 'image'],
    ['an empty image', image([['prompt', 'a']], ['image'], '/v1/images/edits', ''), 'image'],
    ['an empty mask beside an image', image([['prompt', 'a']], ['image', 'mask'], '/v1/images/edits', 'a', ''), 'mask'],
    ['an empty image to vary', image([], ['image'], '/v1/images/variations', ''), 'image'],
  ])('%s', async (_what, call, param) => {
    await expectError(await sendForm(pair, call, key), 400, { param })
  })
})

describe('what is no form', () => {
  it.each(['/v1/audio/transcriptions', '/v1/audio/translations', '/v1/images/variations'])(
    'is refused at %s',
    async (path) => {
      const headers = { 'content-type': 'application/json' }
      const ask = (body: string) =>
        fetch(pair.farebox.url + path, {
          method: 'POST',
          headers: { ...headers, authorization: `Bearer ${key}` },
          body,
        })
      const says = await expectError(await ask('{"model":"ear"}'), 400)
      expect(says).toContain('multipart/form-data')
      await expectError(await ask('{'), 400)
    },
  )

  it.each(['/v1/chat/completions', '/v1/audio/speech', '/v1/images/generations', '/v1/embeddings'])(
    'is all that is taken at %s',
    async (path) => {
      await expectError(await sendForm(pair, { ...image([], ['image']), path }, key), 400)
    },
  )
})

it('a form for a provider that has no such endpoint is 404', async () => {
  const { admin } = pair.farebox
  const [provider] = await admin.call('listProviders', {})
  const id = provider?.id ?? ''
  await admin.call('editProvider', { id, body: { quirks: { routes: ['completions'] } } })
  expect((await postRaw(pair, rawForm(FILE, MODEL), key)).status).toBe(404)
  await admin.call('editProvider', { id, body: { quirks: {} } })
})

/** Sends a head, and as much of a body as is given; resolves with what came back when the connection ended. */
function sendPart(head: readonly string[], body: Buffer, isHalf: boolean): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const { hostname, port, host } = new URL(pair.farebox.url)
  let answer = ''
  const socket = connect(Number(port), hostname, () => {
    const lines = ['POST /v1/audio/transcriptions HTTP/1.1', `host: ${host}`, 'connection: close', ...head]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    socket.write(body)
    if (isHalf) socket.end()
  })
  socket.on('data', (chunk) => (answer += chunk.toString()))
  socket.once('close', () => resolve(answer))
  socket.once('error', reject)
  return promise
}

describe('an upload', () => {
  const type = `content-type: multipart/form-data; boundary=${BOUNDARY}`

  it('of somebody without a key is refused unread', async () => {
    const answer = await sendPart([type, `content-length: ${50 * MIB}`], Buffer.alloc(0), false)
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  })

  it('that says it is too large is refused unread', async () => {
    const head = [type, `authorization: Bearer ${key}`, `content-length: ${50 * MIB}`]
    expect(await sendPart(head, Buffer.alloc(0), false)).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('that is cut off leaves nothing', async () => {
    const form = rawForm(MODEL, [fileHead(), Buffer.alloc(100_000)])
    const head = [type, `authorization: Bearer ${key}`, `content-length: ${form.length}`]
    await sendPart(head, form.subarray(0, 70_000), true)
    await expect.poll(() => pair.farebox.admin.call('status', {})).toMatchObject({ open_exchanges: 0 })
  })

  it('without a length is bounded as any other', async () => {
    const form = rawForm(MODEL, [fileHead(), Buffer.alloc(3 * MIB)])
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < form.length; at += 60_000) controller.enqueue(form.subarray(at, at + 60_000))
        controller.close()
      },
    })
    const headers = { authorization: `Bearer ${key}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
    const init = { method: 'POST', headers, body: pieces, duplex: 'half' } as const
    await expectError(await fetch(`${pair.farebox.url}/v1/audio/transcriptions`, init), 413)
  })
})
