// Request loops: gateways whose providers are each other. Every request to a provider carries a mark of this gateway in the header of RFC 8586,
// behind the marks of the gateways before it; a request that comes with one of its own marks, or with too many, is refused. A mark says
// nothing: it is random, and only the gateway that made it can tell that it did.

import { createHmac, randomBytes } from 'node:crypto'
import { refuse, type Refusal } from '#core/refusal.ts'

/** Through so many gateways a request may go. It ends rings in which something between them renews the marks. */
const MAX_HOPS = 8
/** A nonce of 6 bytes and a proof of 16. Of what others write in the header nothing is read, and nothing passed on. */
const MARK = /^farebox ?; ?id="?([\w-]{8})([\w-]{22})"?$/
/** How a refusal begins, by which the gateway before this one knows that another target may do. */
const LOOP_WORDS = 'Request loop:'

export class Hops {
  readonly #secrets: () => readonly [string, ...string[]]

  /** The secrets by which marks are known; new ones are made by the first. Gateways that share books share one. */
  constructor(secrets: () => readonly [string, ...string[]]) {
    this.#secrets = secrets
  }

  /** A new mark. Each connection pool has another one, so that no two providers can tell that they have the same customer. */
  newMark(): string {
    const nonce = randomBytes(6).toString('base64url')
    return `farebox;id=${nonce}${proofOf(nonce, this.#secrets()[0])}`
  }

  /** `header`: of a request that arrives. With 400, after which clients do not ask again and which gateways in between pass on as it is. */
  refusal(header: string | undefined): Refusal | undefined {
    if (header === undefined) return undefined
    const marks = marksIn(header)
    if (marks.some(({ nonce, proof }) => this.#secrets().some((secret) => proofOf(nonce, secret) === proof))) {
      const says = 'it came back to a gateway that had sent it on. The providers of these gateways are each other'
      return refuse('invalid_request', `${LOOP_WORDS} ${says}: change the base URL of one of them.`)
    }
    if (marks.length < MAX_HOPS) return undefined
    const says = `it went through ${MAX_HOPS} gateways, the most that are allowed`
    return refuse('invalid_request', `${LOOP_WORDS} ${says}. Let one of them name the service itself as its provider.`)
  }
}

/** What a request says of the gateways before this one, to be sent on; undefined for one that comes from a client. */
export function earlierHops(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined
  const marks = marksIn(header).map(({ nonce, proof }) => `farebox;id=${nonce}${proof}`)
  return marks.length === 0 ? undefined : marks.join(', ')
}

/** Whether a provider refused a request because it is a gateway that the request has been at. */
export function isLoopRefusal(status: number, body: Buffer): boolean {
  return status === 400 && body.includes(LOOP_WORDS)
}

type Mark = { readonly nonce: string; readonly proof: string }

function marksIn(header: string): Mark[] {
  return header.split(',').flatMap((element) => {
    const [, nonce, proof] = MARK.exec(element.trim()) ?? []
    return nonce === undefined || proof === undefined ? [] : [{ nonce, proof }]
  })
}

function proofOf(nonce: string, secret: string): string {
  return createHmac('sha256', secret).update(nonce).digest().subarray(0, 16).toString('base64url')
}
