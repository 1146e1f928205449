// What a collector of OpenTelemetry is sent, read by a decoder that shares nothing with the packages that write it.

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canary, findInBytes } from '../support/canary.ts'
import { pointsIn, spansIn } from '../support/otlp.ts'
import { post, startPair, type Pair } from './support.ts'

type Received = { readonly path: string; readonly type: string | undefined; readonly body: Buffer }

let collector: Server
let received: Received[] = []
let status = 200
let pair: Pair | undefined

beforeEach(async () => {
  received = []
  status = 200
  collector = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push({ path: request.url ?? '', type: request.headers['content-type'], body })
      response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end()
    })
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
})
afterEach(async () => {
  await pair?.close()
  pair = undefined
  collector.closeAllConnections()
  collector.close()
})

function endpoint(): string {
  return `http://127.0.0.1:${(collector.address() as AddressInfo).port}/otlp`
}

/** Ends Farebox, which sends what is left. */
async function end(): Promise<void> {
  await pair?.close()
  pair = undefined
}

const bodiesAt = (path: string) => received.filter((one) => one.path === path).map(({ body }) => body)
const spans = () => spansIn(bodiesAt('/otlp/v1/traces'))
const points = () => pointsIn(bodiesAt('/otlp/v1/metrics'))

describe('telemetry', () => {
  it('has a span for each call and each attempt, and measures them, without anything that was said', async () => {
    const prompt = canary()
    const keyName = canary()
    pair = await startPair({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(), FAREBOX_UPSTREAM_RETRY_DELAY_MS: '1' } })
    const { key } = await pair.farebox.admin.call('createKey', { body: { name: keyName, package: 'plenty' } })
    pair.upstream.once({ type: 'status', status: 500 })
    const body = { model: 'chat', messages: [{ role: 'user', content: prompt }], metadata: { said: prompt } }
    const answered = await post(pair.farebox, body, { key, headers: { 'x-said': prompt } })
    const text = await answered.text()
    expect(answered.status).toBe(200)
    const [record] = (await pair.farebox.admin.call('usage', { query: {} })).usage
    await end()

    const [call, ...attempts] = spans().toSorted((one, other) => one.parent.length - other.parent.length)
    expect(call).toMatchObject({ name: 'chat chat', parent: '', kind: 2n, status: 0n })
    expect(call?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'upstream',
      'gen_ai.request.model': 'chat',
      'gen_ai.response.model': 'real-chat',
      'gen_ai.request.stream': false,
      'gen_ai.usage.input_tokens': 19,
      'gen_ai.usage.output_tokens': 10,
      'http.response.status_code': 200,
      'farebox.request.id': record?.id,
      'farebox.outcome': 'answered',
      'farebox.charge.credits': record?.charge_credits,
    })
    expect(attempts.map(({ parent, kind }) => [parent, kind])).toEqual([
      [call?.id, 3n],
      [call?.id, 3n],
    ])
    expect(attempts.map((one) => [one.attributes['http.response.status_code'], one.status])).toEqual([
      [500, 2n],
      [200, 0n],
    ])
    for (const one of attempts) {
      expect(one.startNs >= (call?.startNs ?? 0n) && one.endNs <= (call?.endNs ?? 0n) && one.startNs <= one.endNs).toBe(
        true,
      )
    }

    const measured = points()
    expect(Object.keys(measured).toSorted()).toEqual([
      'gen_ai.client.token.usage {token}',
      'gen_ai.server.request.duration s',
      'gen_ai.server.time_to_first_token s',
    ])
    const tokens = measured['gen_ai.client.token.usage {token}'] ?? []
    expect(tokens.map(({ count, sum, attributes }) => [attributes['gen_ai.token.type'], count, sum])).toEqual([
      ['input', 1, 19],
      ['output', 1, 10],
    ])
    expect(received.every(({ type }) => type === 'application/x-protobuf')).toBe(true)
    const all = Buffer.concat(received.map(({ body: bytes }) => bytes))
    const said = (JSON.parse(text) as { choices: { message: { content: string } }[] }).choices[0]?.message.content ?? ''
    expect(said.length).toBeGreaterThan(3)
    expect(findInBytes(all, { prompt, keyName, key, said, secret: 'sk-upstream-secret' })).toEqual([])
  })

  it('tells of a call that failed, by what kind of failure it was', async () => {
    pair = await startPair({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint() } })
    const key = await pair.farebox.newKey('plenty')
    pair.upstream.once({ type: 'status', status: 400 })
    await (await post(pair.farebox, { model: 'chat', messages: [{ role: 'user', content: 'x' }] }, { key })).text()
    await end()
    expect(spans().find(({ parent }) => parent === '')).toMatchObject({
      status: 2n,
      attributes: { 'error.type': 'refused', 'farebox.outcome': 'refused', 'http.response.status_code': 400 },
    })
  })

  it('says once that the collector does not take it, and calls go on', async () => {
    status = 400
    pair = await startPair({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint() } })
    const { farebox } = pair
    const key = await farebox.newKey('plenty')
    const body = { model: 'chat', messages: [{ role: 'user', content: 'x' }] }
    expect((await post(farebox, body, { key })).status).toBe(200)
    await end()
    expect(farebox.log.filter((line) => line.includes('does not take telemetry'))).toHaveLength(1)
  })

  it('is off where no collector is named', async () => {
    pair = await startPair({})
    const key = await pair.farebox.newKey('plenty')
    await (await post(pair.farebox, { model: 'chat', messages: [{ role: 'user', content: 'x' }] }, { key })).text()
    await end()
    expect(received).toEqual([])
  })
})
