// Calls that were refused before they were admitted. They cost nothing and stand in no ledger; what is kept of them says who was
// refused what and why. The same refusals one after another are one burst.

import type { Refusal, RefusalCode } from '#core/refusal.ts'

/** Refusals of one kind, none of them longer than a minute after the one before. */
export type RefusedBurst = {
  /** The request that began it. */
  readonly id: string
  readonly lastId: string
  /** undefined where no key was known. */
  readonly keyId: string | undefined
  readonly endpoint: string
  /** undefined where none was named that there is. */
  readonly modelId: string | undefined
  readonly code: RefusalCode
  readonly status: number
  /** What the client was told, without words of its own. */
  readonly message: string
  /** Which limit was hit and whose it is. */
  readonly limit: string | undefined
  readonly limitScope: string | undefined
  readonly count: number
  readonly atMs: number
  readonly lastAtMs: number
  /** The last eight characters of each of the first ids, one after another. */
  readonly tails: string
}

/** Ids of a burst that are told apart; of later ones only their time is known. */
const MAX_TAILS = 32
const TAIL_LENGTH = 8

/** The tails with that of one more id, where there is room for it. */
export function withTail(tails: string, id: string): string {
  return tails.length >= MAX_TAILS * TAIL_LENGTH ? tails : tails + id.slice(-TAIL_LENGTH)
}

/** Whether a burst has the request: surely, as far as its time says, or not. */
export function belongsTo(
  burst: Pick<RefusedBurst, 'lastId' | 'count' | 'tails'>,
  id: string,
): 'surely' | 'perhaps' | 'no' {
  const tail = id.slice(-TAIL_LENGTH)
  for (let at = 0; at < burst.tails.length; at += TAIL_LENGTH) {
    if (burst.tails.startsWith(tail, at)) return 'surely'
  }
  if (burst.lastId === id) return 'surely'
  return burst.count * TAIL_LENGTH > burst.tails.length ? 'perhaps' : 'no'
}

/** Members of requests by which a place in a request is told; others may be words of the client's own. */
const MEMBERS = new Set(
  [
    'model messages role content tools tool_choice tool_calls tool_call_id max_tokens max_completion_tokens max_output_tokens',
    'temperature top_p top_k stream stream_options n stop stop_sequences input output system instructions contents parts text type',
    'name function functions parameters arguments description metadata response_format thinking budget_tokens reasoning effort',
    'prompt suffix dimensions encoding_format id call_id image_url url source data media_type format file file_id previous_response_id',
    'systemInstruction generationConfig safetySettings functionDeclarations toolConfig maxOutputTokens inlineData mimeType user seed',
    'logprobs top_logprobs frequency_penalty presence_penalty logit_bias service_tier store include truncation verbosity',
  ].flatMap((names) => names.split(' ')),
)
const PLACE = /[^.[\]]+/g

/** What is kept of the sentence that a client was told. `isOwnName` knows the names that this gateway gave. */
export function keptMessage({ code, message, param }: Refusal, isOwnName: (name: string) => boolean): string {
  // What is wrong with a request is told in words from it.
  if (code !== 'invalid_request') return withoutForeignWords(message, isOwnName)
  if (param === undefined) return 'The request is not valid.'
  const place = param.replace(PLACE, (part) => (/^\d{1,6}$/.test(part) || MEMBERS.has(part) ? part : '…'))
  return `The request is not valid at '${place}'.`
}

/**
 * A sentence for a client without what may be the client's own words. Whatever is quoted in it stays only where it is a name
 * that this gateway gave.
 */
function withoutForeignWords(message: string, isOwnName: (name: string) => boolean): string {
  const quoted = Array.from(message.matchAll(/'([^']*)'/g), ([, words = '']) => words)
  const first = message.indexOf("'")
  if (first === -1 || (quoted.every(isOwnName) && message.split("'").length % 2 === 1)) return message
  // Nobody can say where a quoted text ends that has a quotation mark of its own.
  return `${message.slice(0, first)}'…'${message.slice(message.lastIndexOf("'") + 1)}`
}

/** What to do about a refusal, for whoever can do something. */
export const ADVICE: Readonly<Record<RefusalCode, string>> = {
  invalid_request: 'The request itself is at fault: the tool has to send it in another way.',
  unauthenticated: 'Give the tool a key of this gateway, and nothing else, in its Authorization header.',
  credits_exhausted:
    "Add credits to the key, move it to another package, or wait until the package's credits are renewed.",
  credits_held:
    'Running calls hold what is left. Try again when they have ended, ask for fewer output tokens, or add credits.',
  package_expired: 'Move the key to a package that is still valid, or extend this one.',
  model_unpriced: 'Give the model a price.',
  key_not_usable: 'Activate the key again, or give the tool its new value.',
  forbidden: 'The request came in a way that is not served here. The sentence says what would be.',
  not_found: 'The tool asks for something that is not here: look at its base URL.',
  model_not_found:
    'Ask for a model that GET /v1/models lists for this key, or add the model and allow it in the package.',
  conflict: 'Ask again with another id.',
  request_too_large: 'Send less at a time.',
  provider_refuses: "Look at the provider's secret and account: it refused Farebox, not the tool.",
  provider_refuses_response: "Look at the provider's secret and account: it refused Farebox, not the tool.",
  upgrade_required: 'Nothing needs to be done: the tool goes on without a WebSocket.',
  rate_limited: 'Wait and try again, or raise the limit that the sentence names.',
  internal: "Look into Farebox's log, and report what is there.",
  upstream_error: "Look at the provider's health and try again.",
  overloaded: 'Try again in a moment.',
  no_secret_store: "Unlock this machine's keychain.",
  upstream_timeout: 'The provider took too long. Try again, or allow more time.',
  disk_full: 'Make room on the disk.',
}
