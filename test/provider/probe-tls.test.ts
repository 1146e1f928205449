import { connect } from 'node:net'
import { Agent } from 'undici'
import { afterEach, expect, it } from 'vitest'
import type { Provider } from '#core/entities.ts'
import type { ProviderProblem } from '#core/provider-problems.ts'
import type { WayOut } from '#provider/ask.ts'
import { probeProvider, type ProbeOptions } from '#provider/probe.ts'
import { testProvider } from '../support/provider.ts'
import { certificate, closeServers, serveHttp, serveHttps, serveTcp, type Answering } from '../support/small-servers.ts'
import { closeConnections, openConnections, NO_TOKENS } from './support.ts'

const LIST: Answering = () => ({ json: { object: 'list', data: [{ id: 'a', object: 'model' }] } })

const agents: Agent[] = []

afterEach(async () => {
  await closeServers()
  await closeConnections()
  await Promise.all(agents.splice(0).map((agent) => agent.destroy()))
})

/** Connections that trust the authority of the fixtures. */
function trusting(): WayOut {
  const agent = new Agent({ connect: { ca: certificate('ca') } })
  agents.push(agent)
  return { pool: () => agent }
}

function probe(baseUrl: string, options: Partial<ProbeOptions> = {}, overrides: Partial<Provider> = {}) {
  const secrets = { get: async () => 'sk-never-in-clear', known: () => [] }
  const connections = openConnections()
  const provider = testProvider({ baseUrl, hasSecret: true, ...overrides })
  return probeProvider(provider, { secrets, connections, newTokens: NO_TOKENS, userAgent: 'x', ...options })
}

it('takes a certificate of an authority that is trusted', async () => {
  const { port } = await serveHttps('good', LIST)
  expect(await probe(`https://127.0.0.1:${port}/v1`, { connections: trusting() })).toMatchObject({ ok: true })
})

it.each<[ProviderProblem, string, 'trusted' | 'unknown', string]>([
  ['tls_self_signed', 'self-signed', 'unknown', 'NODE_EXTRA_CA_CERTS'],
  ['tls_unknown_issuer', 'good', 'unknown', 'NODE_EXTRA_CA_CERTS'],
  ['tls_expired', 'expired', 'trusted', 'clock'],
  ['tls_not_yet_valid', 'not-yet-valid', 'trusted', 'clock'],
  ['tls_wrong_host', 'other-host', 'trusted', 'Use the name'],
])('says %s of the certificate %s whose issuer is %s', async (problem, name, issuer, advice) => {
  const server = await serveHttps(name, LIST)
  const options = issuer === 'trusted' ? { connections: trusting() } : {}
  const result = await probe(`https://127.0.0.1:${server.port}/v1`, options)
  expect(result).toMatchObject({ ok: false, problem })
  expect(result.advice).toContain(advice)
  expect(server.asked).toEqual([])
})

it('says that a port wants TLS, and shows it no secret', async () => {
  for (const name of ['good', 'self-signed', 'expired']) {
    const server = await serveHttps(name, LIST)
    const result = await probe(`http://127.0.0.1:${server.port}/v1`)
    expect(result, name).toMatchObject({ ok: false, problem: 'https_expected' })
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual([])
  }
})

it('says that a port speaks no TLS, and sends the secret there in no way', async () => {
  const server = await serveHttp(LIST)
  const result = await probe(`https://127.0.0.1:${server.port}/v1`)
  expect(result).toMatchObject({ ok: false, problem: 'http_expected' })
  expect(result.advice).toContain('http://')
  for (const { headers } of server.asked) expect(headers.authorization).toBeUndefined()
})

it('knows nothing better of what speaks neither', async () => {
  const closing = await serveTcp((socket) => void socket.destroy())
  expect(await probe(`https://127.0.0.1:${closing}/v1`)).toMatchObject({ problem: 'connection_closed' })
  const other = await serveTcp((socket) => void socket.end('SSH-2.0-OpenSSH_9\r\n'))
  expect(await probe(`https://127.0.0.1:${other}/v1`)).toMatchObject({ problem: 'tls_failed' })
})

it('gives up a handshake that is never answered', async () => {
  const port = await serveTcp(() => undefined)
  const result = await probe(`https://127.0.0.1:${port}/v1`, { timeLimitMs: 5000 }, { timeLimits: { connectMs: 300 } })
  expect(result).toMatchObject({ ok: false, problem: 'connect_timeout' })
})

it('says that a web server which answers 400 to plain HTTP wants TLS', async () => {
  // One listener for both, as web servers have it: the first byte of a handshake tells which it is.
  const tls = await serveHttps('self-signed', LIST)
  const port = await serveTcp((socket) => {
    socket.once('data', (first) => {
      if (first[0] !== 0x16) return void socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 4\r\n\r\nTLS!')
      const onward = connect(tls.port, '127.0.0.1')
      onward.on('error', () => undefined)
      onward.write(first)
      socket.pipe(onward).pipe(socket)
    })
  })
  expect(await probe(`http://127.0.0.1:${port}/v1`)).toMatchObject({ ok: false, problem: 'https_expected' })
})
