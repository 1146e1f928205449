// One chat completion over plain HTTP, for tests that look at bytes, statuses and headers rather than at a client library.

export type ChatTarget = { readonly url: string; readonly key: string }

/** Model and prompt can be left out; everything else is sent as it is given. */
export function postChat({ url, key }: ChatTarget, body: object = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hi' }], ...body }),
    ...(signal === undefined ? {} : { signal }),
  })
}

/** The balance object of a key. */
export async function balanceOf({ url, key }: ChatTarget): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/v1/balance`, { headers: { authorization: `Bearer ${key}` } })
  return (await response.json()) as Record<string, unknown>
}
