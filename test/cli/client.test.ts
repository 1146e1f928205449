import { createHmac } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AdminError, adminClient, httpTransport, readInstance } from '#cli/client.ts'
import { CommandFailure } from '#cli/errors.ts'
import { ANSWERS, fakeGateway, refusal } from './fake-gateway.ts'
import { run } from './fake-host.ts'

type Seen = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { readonly body: string }
type Reply = { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }

const TOKEN = 'token-1234'
let folder: string
let server: Server
let url: string
let seen: Seen[]
let reply: (request: Seen) => Reply
/** The token of whoever answers. */
let ownToken: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-cli-'))
  seen = []
  ownToken = TOKEN
  reply = () => ({ status: 200, body: JSON.stringify(ANSWERS.listKeys) })
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const { method, url: path, headers } = request
      const isHealth = path === '/health'
      if (!isHealth) seen.push({ method, url: path, headers, body })
      const {
        status,
        body: text,
        headers: more,
      } = isHealth ? { status: 200, body: '', headers: proofOf(headers) } : reply({ method, url: path, headers, body })
      response.writeHead(status, more).end(text)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
  await rm(folder, { recursive: true })
})

function proofOf({ 'x-farebox-challenge': challenge }: IncomingMessage['headers']): Readonly<Record<string, string>> {
  const proof = createHmac('sha256', ownToken)
    .update(`farebox gateway ${String(challenge)}`)
    .digest('hex')
  return { 'x-farebox-proof': proof }
}

async function writeInstance(content: unknown): Promise<void> {
  await writeFile(join(folder, 'instance.json'), typeof content === 'string' ? content : JSON.stringify(content))
}

describe('a call over HTTP', () => {
  it('carries the token, the path and the body', async () => {
    reply = () => ({ status: 200, body: JSON.stringify(ANSWERS.topUpKey) })
    const client = adminClient(httpTransport({ url, token: TOKEN }))
    const key = await client.call('topUpKey', { id: 'my key/1', body: { credits: 5 } })
    expect(key).toEqual(ANSWERS.topUpKey)
    expect(seen).toMatchObject([
      {
        method: 'POST',
        url: '/api/keys/my%20key%2F1/top-up',
        body: '{"credits":5}',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      },
    ])
  })

  it('names no content type when it has no body', async () => {
    const client = adminClient(httpTransport({ url, token: TOKEN }))
    await client.call('listKeys', {})
    expect(seen[0]?.headers).not.toHaveProperty('content-type')
  })

  it('throws the refusal of the gateway with status, type and field', async () => {
    const { status, body } = refusal(409, 'invalid_request_error', 'There is one already.', 'name')
    reply = () => ({ status, body: JSON.stringify(body) })
    const call = adminClient(httpTransport({ url, token: TOKEN })).call('listKeys', {})
    await expect(call).rejects.toThrow(AdminError)
    await expect(call).rejects.toMatchObject({
      status: 409,
      errorType: 'invalid_request_error',
      message: 'There is one already.',
      param: 'name',
    })
  })

  it('does not need an explanation to be an error', async () => {
    reply = () => ({ status: 502, body: '<html>' })
    const call = adminClient(httpTransport({ url, token: TOKEN })).call('listKeys', {})
    await expect(call).rejects.toMatchObject({ status: 502, message: 'The gateway answered with status 502.' })
  })

  it('follows no redirect, which would take the token along', async () => {
    reply = () => ({ status: 307, body: '', headers: { location: `${url}/elsewhere` } })
    const call = adminClient(httpTransport({ url, token: TOKEN })).call('listKeys', {})
    await expect(call).rejects.toThrow(CommandFailure)
    expect(seen).toHaveLength(1)
  })

  it('says who does not answer, without the token', async () => {
    const transport = httpTransport({ url: 'http://127.0.0.1:1', token: TOKEN })
    const failure: unknown = await adminClient(transport)
      .call('listKeys', {})
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(CommandFailure)
    expect(String(failure)).toContain('The gateway at http://127.0.0.1:1 does not answer')
    expect(JSON.stringify(failure) + String(failure)).not.toContain(TOKEN)
  })
})

describe('a call', () => {
  it.each(['.', '..'])('refuses the name %s, which URLs drop', async (id) => {
    const gateway = fakeGateway()
    await expect(adminClient(gateway.transport).call('removeModel', { id })).rejects.toThrow(AdminError)
    expect(gateway.requests).toEqual([])
  })

  it('keeps a name with special characters in its place', async () => {
    const gateway = fakeGateway()
    await adminClient(gateway.transport).call('showKey', { id: "a/../b?c#$&'%" })
    expect(gateway.requests[0]?.path).toBe("/api/keys/a%2F..%2Fb%3Fc%23%24%26'%25")
  })
})

describe('a running gateway', () => {
  it('is found by its file and its answer', async () => {
    await writeInstance({ url, pid: 12, token: TOKEN })
    expect(await readInstance(folder)).toEqual({ url, pid: 12, token: TOKEN })
  })

  it.each([
    ['absent', undefined],
    ['empty', ''],
    ['not JSON', '{'],
    ['not an object', '[]'],
    ['null', 'null'],
    ['without a token', { url: 'http://127.0.0.1:1', pid: 12 }],
    ['with an empty token', { url: 'http://127.0.0.1:1', pid: 12, token: '' }],
    ['with a text as pid', { url: 'http://127.0.0.1:1', pid: '12', token: TOKEN }],
    ['with a URL of another kind', { url: 'file:///etc/passwd', pid: 12, token: TOKEN }],
    ['with a text that is no URL', { url: 'http:', pid: 12, token: TOKEN }],
    ['left behind by a gateway that is gone', { url: 'http://127.0.0.1:1', pid: 12, token: TOKEN }],
  ])('is not there when the file is %s', async (_, content) => {
    if (content !== undefined) await writeInstance(content)
    expect(await readInstance(folder)).toBeUndefined()
  })

  it('is not there when somebody else has taken its address, who is told nothing', async () => {
    await writeInstance({ url, pid: 12, token: TOKEN })
    ownToken = 'of another one'
    expect(await readInstance(folder)).toBeUndefined()
    const ran = await run(['key', 'list'], { dataDir: folder })
    expect(ran).toMatchObject({ exitCode: 0, store: [`open ${folder}`, 'close'] })
    expect(seen).toEqual([])
  })

  it('is not there when its address stays silent', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
    const address = silent.address()
    await writeInstance({
      url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
      pid: 12,
      token: TOKEN,
    })
    const startedAtMs = performance.now()
    expect(await readInstance(folder)).toBeUndefined()
    expect(performance.now() - startedAtMs).toBeLessThan(3_000)
    silent.closeAllConnections()
    await new Promise((done) => silent.close(done))
  })

  it('is asked instead of the store', async () => {
    await writeInstance({ url, pid: 12, token: TOKEN })
    const ran = await run(['key', 'list', '--json'], { dataDir: folder })
    expect(ran).toMatchObject({ exitCode: 0, store: [], requests: [], stdout: `${JSON.stringify(ANSWERS.listKeys)}\n` })
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
  })

  it('is shown by status', async () => {
    await writeInstance({ url, pid: 12, token: TOKEN })
    reply = (request) => {
      const answer = request.url === '/api/keys' ? ANSWERS.listKeys : ANSWERS.status
      return { status: 200, body: JSON.stringify(answer) }
    }
    const ran = await run(['status'], { dataDir: folder })
    expect(ran).toMatchObject({ exitCode: 0, store: [] })
    expect(ran.stdout).toMatch(/^state +running$/m)
    expect(ran.stdout).toMatch(/^credits of laptop +49\.5 of 50, at this pace runs out 2027-03-04 00:00 UTC$/m)
    expect(ran.stdout + ran.stderr).not.toContain(TOKEN)
  })
})
