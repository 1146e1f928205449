// The real OpenAI SDK, set up as its users do it: a base URL and a key.

import OpenAI from 'openai'

export type Counted = { readonly openai: OpenAI; readonly requests: () => number }

export type ClientOptions = { readonly url: string; readonly key: string; readonly maxRetries?: number }

/** A client with the SDK's own defaults, its two retries included, unless told otherwise. */
export function openaiClient(options: ClientOptions): OpenAI {
  return countedClient(options).openai
}

/** The same, counting the requests that it really makes. */
export function countedClient({ url, key, maxRetries = 2 }: ClientOptions): Counted {
  let requests = 0
  const openai = new OpenAI({
    apiKey: key,
    baseURL: `${url}/v1`,
    maxRetries,
    fetch: (input, init) => {
      requests += 1
      return fetch(input, init)
    },
  })
  return { openai, requests: () => requests }
}

/** A prompt of one message. */
export function saying(content: string): OpenAI.ChatCompletionUserMessageParam[] {
  return [{ role: 'user', content }]
}
