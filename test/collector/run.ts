// `npm run test:collector`: a real collector of OpenTelemetry between Farebox and a receiver. It is Rotel, as PyPI has it, whose program takes
// what Farebox sends, reads all of it, and sends it on as its own. What arrives behind it has to be what the books say, call by call.

import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { postChat } from '../support/chat.ts'
import { findInBytes } from '../support/canary.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { pointsIn, spansIn } from '../support/otlp.ts'
import { endProcesses, startProcess, temporaryFolder } from '../support/process.ts'
import { installRequirements, NotInstalled } from '../support/python-packages.ts'
import { startUpstream } from '../support/upstream.ts'

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt')
const CALLS = 60
const LIMIT_MS = 60_000

process.exitCode = await main()

async function main(): Promise<number> {
  try {
    const folder = await installRequirements('rotel', REQUIREMENTS)
    process.stdout.write(`collector: ${await prove(join(folder, 'rotel', 'rotel-agent'))}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error
    process.stdout.write(`collector: FAILED, no collector was run: ${error.message}\n`)
    return 1
  } finally {
    await endProcesses()
  }
}

async function prove(program: string): Promise<string> {
  const received: { readonly path: string; readonly body: Buffer }[] = []
  const receiver = createServer((request, response) => {
    void buffer(request).then((body) => {
      const isZipped = request.headers['content-encoding'] === 'gzip'
      received.push({ path: request.url ?? '', body: isZipped ? gunzipSync(body) : body })
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const upstream = await startUpstream()
  const collector = await startCollector(program, `http://127.0.0.1:${portOf(receiver)}`)
  try {
    const bodiesAt = (path: string) => received.filter((one) => one.path.endsWith(path)).map(({ body }) => body)
    const farebox = await startProcess({
      dataDir: join(await temporaryFolder(), 'data'),
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, FAREBOX_UPSTREAM_RETRY_DELAY_MS: '1' },
    })
    await setUpUpstream(farebox, upstream.url)
    const { key } = await farebox.admin.call('createKey', { body: { name: 'collected', package: 'plenty' } })
    const prompt = randomBytes(24).toString('hex')
    for (let call = 0; call < CALLS; call++) {
      // Every fourth one needs a second attempt, and every tenth one is refused.
      if (call % 4 === 1) upstream.once({ type: 'status', status: 500 })
      if (call % 10 === 0) upstream.once({ type: 'status', status: 400 })
      const body = { stream: call % 3 === 0, messages: [{ role: 'user', content: prompt }] }
      await (await postChat({ url: farebox.url, key }, body)).text()
    }
    const { usage } = await farebox.admin.call('usage', { query: { limit: '1000' } })
    await farebox.stop()
    const calls = () => spansIn(bodiesAt('/v1/traces')).filter(({ parent }) => parent === '')
    await until(() => calls().length >= usage.length && bodiesAt('/v1/metrics').length > 0)

    const spans = spansIn(bodiesAt('/v1/traces'))
    const byCall = new Map(calls().map((span) => [span.attributes['farebox.request.id'], span]))
    assert.equal(calls().length, CALLS)
    assert.equal(byCall.size, usage.length)
    for (const record of usage) {
      const attributes = byCall.get(record.id)?.attributes ?? {}
      assert.equal(attributes['farebox.charge.credits'], record.charge_credits, record.id)
      assert.equal(attributes['farebox.outcome'], record.outcome, record.id)
      if (record.usage_source !== 'none') assert.equal(attributes['gen_ai.usage.output_tokens'], record.output_tokens)
    }
    const attempts = spans.filter(({ parent }) => parent !== '')
    assert.equal(attempts.length, upstream.requests.length)
    const ids = new Set(calls().map(({ id }) => id))
    assert.ok(attempts.every(({ parent }) => ids.has(parent)))
    const tokens = pointsIn(bodiesAt('/v1/metrics'))['gen_ai.client.token.usage {token}'] ?? []
    const measured = tokens
      .filter(({ attributes }) => attributes['gen_ai.token.type'] === 'output')
      .reduce((sum, point) => sum + point.sum, 0)
    const charged = usage.reduce((sum, record) => sum + (record.output_tokens ?? 0), 0)
    assert.equal(measured, charged)
    const all = Buffer.concat([...received.map(({ body }) => body), Buffer.from(collector.printed())])
    assert.deepEqual(findInBytes(all, { prompt, key, secret: 'sk-upstream-secret' }), [])
    return `${calls().length} calls with ${attempts.length} attempts and ${measured} output tokens arrived behind Rotel as the books have them; 0 of 3 canaries`
  } finally {
    await collector.end()
    await upstream.close()
    receiver.closeAllConnections()
    receiver.close()
  }
}

async function startCollector(program: string, behind: string) {
  const [grpc, http] = [await freePort(), await freePort()]
  const folder = await temporaryFolder()
  const options = {
    'pid-file': join(folder, 'pid'),
    'log-file': join(folder, 'log'),
    'otlp-grpc-endpoint': `127.0.0.1:${grpc}`,
    'otlp-http-endpoint': `127.0.0.1:${http}`,
    exporter: 'otlp',
    'otlp-exporter-endpoint': behind,
    'otlp-exporter-protocol': 'http',
    'debug-log': 'traces',
    'debug-log-verbosity': 'detailed',
  }
  const args = ['start', ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])]
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  child.on('error', (error) => (printed += error.message))
  const endpoint = `http://127.0.0.1:${http}`
  const isUp = () =>
    fetch(endpoint).then(
      () => true,
      () => child.exitCode !== null,
    )
  await until(isUp)
  assert.equal(child.exitCode, null, `the collector ended: ${printed.slice(-500)}`)
  return {
    endpoint,
    printed: () => printed,
    end: async () => {
      if (child.exitCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = Date.now() + LIMIT_MS
  while (!(await isSo())) {
    assert.ok(Date.now() < endMs, 'it did not come within a minute')
    await sleep(100)
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  return port
}

function portOf(server: { address(): unknown }): number {
  return (server.address() as AddressInfo).port
}
