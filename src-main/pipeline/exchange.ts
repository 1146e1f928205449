// A call at each stage of its journey, as one stage hands it to the next.

import type { Attribution } from '#core/attribution.ts'
import type { ClientQuirks } from '#core/client-quirks.ts'
import type { WireBytes } from '#dialect/answer.ts'
import type { AskedInPath } from '#dialect/dialect.ts'
import type { UploadedForm } from '#dialect/form.ts'
import type { BodyText } from '#dialect/request-body.ts'
import type { Admission } from '#pipeline/admit.ts'
import type { Attempted, Ready } from '#pipeline/attempts.ts'
import type { Caller } from '#pipeline/authenticate.ts'
import type { DistantBody } from '#pipeline/body-questions.ts'
import type { CallRequest } from '#pipeline/distant-request.ts'
import type { ConnectionAnswers, EndpointName } from '#pipeline/endpoints.ts'
import type { Client, Headers } from '#pipeline/ports.ts'
import type { RelayEnd } from '#pipeline/relay.ts'
import type { Served } from '#pipeline/resolve.ts'
import type { Place, Routing } from '#pipeline/routing.ts'

export type Call = {
  /** Also the id of the exchange, its hold and its usage record. */
  readonly requestId: string
  readonly endpoint: EndpointName
  readonly caller: Caller
  /** The body as text, or that of a large conversation, which is kept elsewhere; and its size on the wire. */
  readonly text: BodyText | DistantBody
  readonly byteLength: number
  /** The form that came in place of a text. */
  readonly form?: UploadedForm | undefined
  /** What the path says, where it names the model. */
  readonly asked?: AskedInPath | undefined
  /** Headers of the client that may be passed on to a provider of its own dialect. */
  readonly headers: Headers
  /** The gateways that it came through, as their header says; undefined for one that came from a client. */
  readonly hops?: string | undefined
  readonly client: Client
  /** What its client cannot read; undefined for one that reads what the contract says. */
  readonly quirks?: ClientQuirks
  /** What it may name of its connection; undefined for one that has its connection for itself. */
  readonly connection?: ConnectionAnswers | undefined
  /** Whom it is made for; undefined for one that no tool made. */
  readonly attribution?: Attribution | undefined
}

/** A call that was let in. */
export type Admitted = {
  readonly call: Call
  readonly request: CallRequest
  readonly served: Served
  readonly choice: { readonly routing: Routing<Place>; readonly first: Ready }
  readonly admission: Admission
}

export type Exchange = { readonly admitted: Admitted; readonly startedMs: number }

/** A call whose attempts are over. */
export type Ended = Attempted & Exchange & { readonly type: 'attempted'; readonly usedTokens: number }

/** A mistake of ours outside an attempt: nothing was delivered. */
export type Mistake = { readonly type: 'mistake'; readonly error: unknown }

/** How the client is to be told. */
export type Finished = {
  readonly end: RelayEnd
  /** What ends the answer, of one that has a valid end. */
  readonly last: WireBytes | undefined
}
