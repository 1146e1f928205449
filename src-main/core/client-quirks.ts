// Clients that cannot read what the contract says, as data: what is done for them is done for nobody else. A client is known by the
// headers that it sends; one that sends other ones is served by the contract.

import type { SentHeaders } from '#core/client-tools.ts'

export type ClientQuirks = {
  /** `error.code` is an integer by the contract. Clients whose type for it is a text find no error in an answer that has a number. */
  readonly errorCode: 'number' | 'text'
}

type Quirky = {
  readonly client: string
  readonly isKnownBy: (headers: SentHeaders) => boolean
  readonly quirks: ClientQuirks
}

export const NO_QUIRKS: ClientQuirks = { errorCode: 'number' }

const QUIRKY_CLIENTS: readonly Quirky[] = [
  {
    client: 'openai-java',
    // `OpenAIClientImpl/Java 4.101.0`, `OpenAIClientAsyncImpl/Java 4.101.0`, and the frameworks that put their own name there.
    isKnownBy: ({ 'user-agent': agent, 'x-stainless-lang': language }) =>
      isLike(agent, /\bopenai\w*\/java\b|\bopenai-java\b/i) ||
      (isLike(language, /^(?:java|kotlin)$/) && !isLike(agent, /anthropic/i)),
    quirks: { errorCode: 'text' },
  },
  {
    client: 'async-openai',
    // Its documentation gives it this name. Without one reqwest under it sends no user agent, and accepts everything in so many words.
    isKnownBy: ({ 'user-agent': agent, accept }) =>
      isLike(agent, /\basync[-_]openai\b/i) || (agent === undefined && accept === '*/*'),
    quirks: { errorCode: 'text' },
  },
]

/** What is to be done for the client that sent these headers, with their names in small letters. */
export function clientQuirks(headers: SentHeaders): ClientQuirks {
  return QUIRKY_CLIENTS.find(({ isKnownBy }) => isKnownBy(headers))?.quirks ?? NO_QUIRKS
}

function isLike(value: string | readonly string[] | undefined, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value)
}
