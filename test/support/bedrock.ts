// A fake of Amazon Bedrock's Converse on a port of its own. It checks the signature of each request by the published rules, so that
// nothing of it is code of those who are tested.

import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const ACCESS_KEY_ID = 'AKIAFAREBOXEXAMPLE00'
const SECRET_ACCESS_KEY = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
export const SESSION_TOKEN = 'IQoJb3JpZ2luX2VjEXAMPLETOKEN+/='
const REGION = 'eu-west-1'
export const BEDROCK_SECRET = `${REGION}:${ACCESS_KEY_ID}:${SECRET_ACCESS_KEY}:${SESSION_TOKEN}`

/** What Amazon calls an API key: it signs nothing. */
export const BEDROCK_API_KEY = 'ABSKQmVkcm9ja0FQSUtleS1leGFtcGxlOjEyMzQ1Njc4OTA='

type Json = Readonly<Record<string, unknown>>

export type BedrockAnswer =
  | { readonly type: 'whole'; readonly body: Json }
  | { readonly type: 'error'; readonly status: number; readonly name: string; readonly message: string }
  /** `cutAt`: so many bytes, and then the end; `pieceLength`: how many bytes at a time; `rest` comes when `until` is there. */
  | {
      readonly type: 'frames'
      readonly frames: readonly Buffer[]
      readonly cutAt?: number
      readonly pieceLength?: number
      readonly until?: Promise<void>
      readonly rest?: readonly Buffer[]
    }

export type BedrockRequest = {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Json
  readonly isSigned: boolean
}

export type Bedrock = {
  readonly url: string
  readonly requests: BedrockRequest[]
  script(answer: BedrockAnswer): void
  close(): Promise<void>
}

export async function startBedrock(): Promise<Bedrock> {
  const requests: BedrockRequest[] = []
  let next: BedrockAnswer | undefined
  const server = createServer((request, response) => void serve(request, response))
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    const isSigned = signatureOf(request, bytes) === request.headers.authorization
    const body = JSON.parse(bytes.toString() || '{}') as Json
    requests.push({ path: request.url ?? '', headers: request.headers, body, isSigned })
    const wrong = {
      type: 'error',
      status: 403,
      name: 'InvalidSignatureException',
      message: 'Not the signature.',
    } as const
    if (next === undefined) throw new Error('nothing is scripted')
    const isKnown = isSigned || request.headers.authorization === `Bearer ${BEDROCK_API_KEY}`
    await answer(response, isKnown ? next : wrong)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    script: (given) => {
      next = given
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answer(response: ServerResponse, given: BedrockAnswer): Promise<void> {
  if (given.type === 'frames') {
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
    const all = Buffer.concat(given.frames)
    const bytes = all.subarray(0, given.cutAt ?? all.length)
    const length = given.pieceLength ?? bytes.length
    for (let from = 0; from < bytes.length; from += length) response.write(bytes.subarray(from, from + length))
    await given.until
    response.end(Buffer.concat(given.rest ?? []))
    return
  }
  const isError = given.type === 'error'
  const body = JSON.stringify(isError ? { message: given.message } : given.body)
  const name = isError ? { 'x-amzn-errortype': `${given.name}:http://internal.amazon.com/coral/` } : {}
  response.writeHead(isError ? given.status : 200, { 'content-type': 'application/json', ...name }).end(body)
}

/** Signature Version 4, as its documentation has it. */
function signatureOf({ method = '', url = '', headers }: IncomingMessage, body: Buffer): string {
  const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? ''
  const time = String(headers['x-amz-date'])
  const day = time.slice(0, 8)
  // Every part of the path is encoded once more than it is sent.
  const path = url.split('/').map(encoded).join('/')
  const names = signed.split(';')
  const lines = names.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('')
  const canonical = [method, path, '', lines, signed, sha256(body)].join('\n')
  const scope = `${day}/${REGION}/bedrock/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const keys = [day, REGION, 'bedrock', 'aws4_request']
  const key = keys.reduce<string | Buffer>((before, text) => hmac(before, text), `AWS4${SECRET_ACCESS_KEY}`)
  const signature = hmac(key, toSign).toString('hex')
  return `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY_ID}/${scope}, SignedHeaders=${signed}, Signature=${signature}`
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
