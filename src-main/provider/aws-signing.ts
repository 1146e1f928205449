// Signs requests as Amazon wants them (Signature Version 4), with its own library. Loaded with the first provider that needs it.

import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import { isLong, piecesOf, type Body } from '#provider/long-text.ts'

/** `REGION:ACCESS_KEY_ID:SECRET_ACCESS_KEY`, and behind it the session token of keys that expire. */
const SECRET = /^([a-z0-9-]+):([A-Za-z0-9]+):([^:\s]+)(?::([^:\s]+))?$/
export const SECRET_FORM = 'REGION:ACCESS_KEY_ID:SECRET_ACCESS_KEY[:SESSION_TOKEN]'
const SERVICE = 'bedrock'

type Headers = Readonly<Record<string, string>>
export type SignedRequest = { readonly method: string; readonly url: URL; readonly body: Body }
/** The headers that a request is signed with. */
export type Sign = (request: SignedRequest) => Promise<Headers>

/** undefined for a secret that is of another form. */
export function signerOf(secret: string): Sign | undefined {
  const [, region, accessKeyId, secretAccessKey, sessionToken] = SECRET.exec(secret) ?? []
  if (region === undefined || accessKeyId === undefined || secretAccessKey === undefined) return undefined
  const token = sessionToken === undefined ? {} : { sessionToken }
  const credentials = { accessKeyId, secretAccessKey, ...token }
  const signature = new SignatureV4({ service: SERVICE, region, credentials, sha256: Sha256 })
  return async ({ method, url, body }) => {
    const { protocol, hostname, host, pathname } = url
    const hash = await hashOf(body)
    const signed = await signature.sign({
      method,
      protocol,
      hostname,
      path: pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { host, 'x-amz-content-sha256': hash },
    })
    const { host: _host, ...headers } = signed.headers
    return headers
  }
}

/** A long body is hashed piece by piece, so that nobody waits until all of it has been. */
async function hashOf(body: SignedRequest['body']): Promise<string> {
  const hash = createHash('sha256')
  if (typeof body === 'string' && !isLong(body)) hash.update(body)
  else for await (const piece of piecesOf(body)) hash.update(piece)
  return hash.digest('hex')
}

/** Node's own hash in the form that the library asks for. */
class Sha256 {
  readonly #newHash: () => Hash | Hmac
  #hash: Hash | Hmac

  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    this.#newHash = () => (key === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(key)))
    this.#hash = this.#newHash()
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data))
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }

  reset(): void {
    this.#hash = this.#newHash()
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data)
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data)
}
