// What the rows that every dialect shares have to know of a dialect.

import { frame } from '../support/aws-frames.ts'
import type { WireUsage } from '../support/upstream-behaviour.ts'
import { ANSWERED, CUT, type FaultDialect, type Sees } from './fault.ts'

export type Kit = {
  readonly dialect: FaultDialect
  /** Where streams are asked for. */
  readonly path: string
  /** A stream says itself where it ends, so that what comes behind does not matter. */
  readonly hasEnd: boolean
  /** Counts in the provider's words, whatever they are. */
  readonly usage: (input: unknown, output: unknown) => WireUsage
  /** An event that no version of the dialect has. */
  readonly unknownEvent: string | Buffer
  /** An error as a member of this dialect's errors, about the provider and about our account. */
  readonly overloaded: Readonly<Record<string, unknown>>
  readonly wrongSecret: Readonly<Record<string, unknown>>
}

const SURPRISE = 'event: surprise\ndata: {"type":"surprise","with":{"a":["surprise"]}}\n\n'
const WORDS = 'Too many people today.'
const OURS = 'Key sk-upstream is not good.'

export const KITS: Readonly<Record<FaultDialect, Kit>> = {
  'chat-completions': {
    dialect: 'chat-completions',
    path: '/v1/chat/completions',
    hasEnd: true,
    usage: (input, output) => ({ prompt_tokens: input, completion_tokens: output }),
    unknownEvent: 'event: surprise\ndata: {"object":"surprise","with":{"a":["surprise"]}}\n\n',
    overloaded: { type: 'overloaded_error', message: WORDS },
    wrongSecret: { type: 'authentication_error', code: 'invalid_api_key', message: OURS },
  },
  messages: {
    dialect: 'messages',
    path: '/v1/messages',
    hasEnd: true,
    usage: (input, output) => ({ input_tokens: input, output_tokens: output }),
    unknownEvent: SURPRISE,
    overloaded: { type: 'overloaded_error', message: WORDS },
    wrongSecret: { type: 'authentication_error', message: OURS },
  },
  responses: {
    dialect: 'responses',
    path: '/v1/responses',
    hasEnd: true,
    usage: (input, output) => ({ input_tokens: input, output_tokens: output }),
    unknownEvent: SURPRISE,
    overloaded: { type: 'server_error', code: 'server_is_overloaded', message: WORDS },
    wrongSecret: { type: 'server_error', code: 'insufficient_quota', message: OURS },
  },
  gemini: {
    dialect: 'gemini',
    path: '/v1beta/models/real:streamGenerateContent',
    hasEnd: false,
    usage: (input, output) => ({ promptTokenCount: input, candidatesTokenCount: output }),
    unknownEvent: 'event: surprise\r\ndata: {"surprise":{"a":["surprise"]}}\r\n\r\n',
    overloaded: { code: 503, message: WORDS, status: 'UNAVAILABLE' },
    wrongSecret: { code: 403, message: OURS, status: 'PERMISSION_DENIED' },
  },
  'bedrock-converse': {
    dialect: 'bedrock-converse',
    path: '/model/real/converse-stream',
    hasEnd: true,
    usage: (input, output) => ({ inputTokens: input, outputTokens: output }),
    unknownEvent: frame('surprise', { with: { a: ['surprise'] } }),
    overloaded: { __type: 'serviceUnavailableException', message: WORDS },
    wrongSecret: { __type: 'accessDeniedException', message: OURS },
  },
}

/** What the client sees of a stream whose connection breaks behind its last event. */
export function behindTheEnd({ hasEnd }: Kit): Sees {
  return hasEnd ? ANSWERED : CUT
}
