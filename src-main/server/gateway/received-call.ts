// From a request whose body is there to the call that the journey serves.

import type { IncomingHttpHeaders } from 'node:http'
import { clientQuirks } from '#core/client-quirks.ts'
import { HOP_HEADER } from '#core/provider-headers.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import { isLater, type Soon } from '#core/soon.ts'
import type { AskedInPath } from '#dialect/dialect.ts'
import { CLIENT_DIALECTS, endpointOf, type ClientFormat } from '#dialect/dialects.ts'
import type { BodyText } from '#dialect/request-body.ts'
import type { Attributions } from '#pipeline/attributions.ts'
import type { Caller } from '#pipeline/authenticate.ts'
import type { EndpointName } from '#pipeline/endpoints.ts'
import type { Call } from '#pipeline/exchange.ts'
import { earlierHops } from '#pipeline/hops.ts'
import type { Client, Headers } from '#pipeline/ports.ts'
import type { ReceivedForm } from '#server/bodies/form-reader.ts'
import type { DenseBodies } from '#server/bodies/dense-bodies.ts'
import type { LargeBodies } from '#server/bodies/large-bodies.ts'

export type ReceivedCall = {
  readonly id: string
  readonly endpoint: EndpointName
  /** What the path says, where it names the model. */
  readonly asked?: AskedInPath | undefined
  /** Whether tokens are to be counted and nothing is generated. */
  readonly isCount: boolean
  readonly caller: Caller
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** What came in place of a body in memory. */
  readonly form?: ReceivedForm | undefined
  /** Of how many parts the body is made; 0 where nobody counted. */
  readonly bodyParts: number
  readonly client: Client
  readonly connection?: Call['connection']
}

export type ReceivingDeps = {
  readonly largeBodies: LargeBodies
  readonly denseBodies: DenseBodies
  readonly attributions: Attributions
}

/** `forget`: to be called when the call is over, where its conversation is kept elsewhere. */
export type ReadyCall = Call & { readonly forget?: () => void }

/** What the journey needs of a request, at once for a large conversation, which is kept elsewhere, and for a small body of few parts. */
export function callOf(received: ReceivedCall, deps: ReceivingDeps): Soon<ReadyCall | Refusal> {
  const { body, bodyParts, endpoint, isCount, asked, form } = received
  if (form !== undefined) {
    return made(received, { text: '', byteLength: form.byteLength, form: form.form }, deps)
  }
  // What is handed over has no length any more.
  const { byteLength } = body
  if (isConversation(endpoint)) {
    const large = deps.largeBodies.conversation(body, { format: endpoint, isCount, asked }, bodyParts)
    if (large !== undefined) return { ...made(received, { text: large, byteLength }, deps), forget: () => large.end() }
  }
  const text = deps.largeBodies.text(body)
  if (isLater(text) || received.bodyParts > 0) return callLater(received, { text, byteLength }, deps)
  return isRefusal(text) ? text : made(received, { text, byteLength }, deps)
}

function isConversation(endpoint: EndpointName): endpoint is ClientFormat {
  const { family, kind } = CLIENT_DIALECTS[endpoint]
  return family === undefined && kind === 'chat'
}

async function callLater(
  received: ReceivedCall,
  { text: soon, byteLength }: { readonly text: Soon<BodyText | Refusal>; readonly byteLength: number },
  deps: ReceivingDeps,
): Promise<Call | Refusal> {
  const text = await soon
  if (isRefusal(text)) return text
  if (received.bodyParts > 0) await deps.denseBodies.turn(received.bodyParts)
  return made(received, { text, byteLength }, deps)
}

function made(
  { id, endpoint, asked, caller, headers, client, connection }: ReceivedCall,
  body: Pick<Call, 'text' | 'byteLength' | 'form'>,
  { attributions }: Pick<ReceivingDeps, 'attributions'>,
): Call {
  return {
    requestId: id,
    endpoint,
    asked,
    caller,
    ...body,
    headers: forwardedOf(headers, endpointOf(endpoint).forwardedHeaders),
    hops: earlierHops(headers[HOP_HEADER]),
    client,
    quirks: clientQuirks(headers),
    connection,
    attribution: attributions.of(headers, caller.key),
  }
}

/** Goes by name, because hardly any header is forwarded and a list of all with their values would be made for each call. */
function forwardedOf(headers: IncomingHttpHeaders, forwarded: RegExp): Headers {
  const kept: Record<string, string> = {}
  for (const name in headers) {
    if (!forwarded.test(name)) continue
    const value = headers[name]
    if (typeof value === 'string') kept[name] = value
  }
  return kept
}
