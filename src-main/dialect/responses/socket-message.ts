// A request that comes as a message over a WebSocket. It is the body of a POST with a type, its answer is always a stream, and it may only
// prepare the next request: such a warm-up asks for no answer. From here on it is read like every other body.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { AskedInPath, ClientRequest } from '#dialect/dialect.ts'
import { editObject, withoutMember } from '#dialect/json-text.ts'
import { parseBody, type BodyText, type RequestBody } from '#dialect/request-body.ts'

/** The one type of message that is served. */
export const MESSAGE: AskedInPath = { model: '', method: 'response.create', isEvents: true }

export type SocketMessage = {
  readonly body: RequestBody
  readonly said: Required<Pick<ClientRequest, 'isOfConnection' | 'isWarmUp'>>
}

/** Members that only a message has. */
const OWN_MEMBERS = ['type', 'generate', 'stream_id']

export function readSocketMessage(text: BodyText, byteLength: number): SocketMessage | Refusal {
  const message = parseBody(text, byteLength)
  if (isRefusal(message)) return message
  const problem = checkMessage(message)
  if (problem !== undefined) return problem
  const { generate, store } = message.value
  const body = bodyIn(message)
  return isRefusal(body) ? body : { body, said: { isWarmUp: generate === false, isOfConnection: store === false } }
}

function checkMessage({ value }: RequestBody): Refusal | undefined {
  const { type, generate, stream_id: lane } = value
  if (type !== MESSAGE.method) {
    return refuse('invalid_request', `'type' must be '${MESSAGE.method}'.`, { param: 'type' })
  }
  if (generate !== undefined && typeof generate !== 'boolean') {
    return refuse('invalid_request', "'generate' must be a boolean.", { param: 'generate' })
  }
  if (lane === undefined || lane === null) return undefined
  const message =
    "A connection has one conversation at a time here. Leave 'stream_id' out, and open another connection."
  return refuse('invalid_request', message, { param: 'stream_id' })
}

function bodyIn({ text, scan }: RequestBody): RequestBody | Refusal {
  const stream = editObject(text, scan, new Map([['stream', 'true']]))
  const names = OWN_MEMBERS.filter((name) => scan.members.has(name))
  const edited = names.reduce((rest, name) => withoutMember(rest, name), stream)
  return parseBody(edited, Buffer.byteLength(edited))
}
