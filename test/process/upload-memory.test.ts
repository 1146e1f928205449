// An upload goes through without being kept in memory: how much more of it the process takes at its peak, as Linux counts it.

import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BOUNDARY, fieldHead, fileHead, FORM_MODELS } from '../passed/form-calls.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'

const MIB = 1024 * 1024
const LENGTH = 100 * MIB
const MAX_MORE = 8 * MIB

let upstream: Server
let farebox: FareboxProcess
let key: string
/** How many bytes each upload had that the provider got. */
const received: number[] = []

beforeAll(async () => {
  upstream = createServer((request, response) => {
    let length = 0
    request.on('data', (chunk: Buffer) => (length += chunk.length))
    request.on('end', () => {
      received.push(length)
      response.setHeader('content-type', 'application/json')
      response.end('{"text":"Hello","usage":{"type":"duration","seconds":9}}')
    })
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  farebox = await startProcess({ dataDir: join(await temporaryFolder(), 'data') })
  await setUpUpstream(farebox, `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`)
  await farebox.admin.call('apply', { body: { document: { models: [...FORM_MODELS] } } })
  key = (await farebox.admin.call('createKey', { body: { name: 'large', package: 'plenty' } })).key
}, 120_000)

afterAll(async () => {
  await endProcesses()
  await new Promise((resolve) => upstream.close(resolve))
})

function* formOf(length: number): Generator<Buffer> {
  yield Buffer.from(`--${BOUNDARY}\r\n${fileHead()}\r\n\r\n`)
  for (let sent = 0; sent < length; sent += MIB) yield Buffer.alloc(Math.min(MIB, length - sent), sent / MIB + 1)
  yield Buffer.from(`\r\n--${BOUNDARY}\r\n${fieldHead('model')}\r\n\r\near\r\n--${BOUNDARY}--\r\n`)
}

async function upload(length: number): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  const asked = httpRequest(`${farebox.url}/v1/audio/transcriptions`, { method: 'POST', headers })
  const answered = new Promise<number | undefined>((resolve, reject) => {
    asked.once('error', reject)
    asked.once('response', (response) => response.resume().once('end', () => resolve(response.statusCode)))
  })
  await pipeline(Readable.from(formOf(length)), asked)
  return answered
}

function bytesOf(figure: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${farebox.pid}/status`, 'utf8')
  return Number(new RegExp(`^${figure}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024
}

describe.runIf(process.platform === 'linux')('an upload of 100 MB', { timeout: 240_000 }, () => {
  it('goes through with at most 8 MB more memory', async () => {
    // What the first ones load, and what the heap takes once for calls of any kind, is no upload's memory.
    for (let times = 0; times < 50; times++) expect(await upload(1024)).toBe(200)
    for (let times = 0; times < 4; times++) expect(await upload(4 * MIB)).toBe(200)
    // The peak is counted from here on.
    writeFileSync(`/proc/${farebox.pid}/clear_refs`, '5')
    const before = bytesOf('VmRSS')
    expect(await upload(LENGTH)).toBe(200)
    const more = bytesOf('VmHWM') - before
    expect(received.at(-1)).toBeGreaterThan(LENGTH)
    expect(more).toBeLessThanOrEqual(MAX_MORE)
  })
})
