// `farebox provider test`: one fixed request to a provider, and what its answer means in plain words. It costs nothing: asking
// for the list of models is free everywhere.

import { request } from 'undici'
import type { Provider } from '#core/entities.ts'
import type { SecretStore } from '#secret/port.ts'

const TIME_LIMIT_MS = 10_000
const MAX_LISTED_BYTES = 8 * 1024 * 1024

export type ProbeResult = { readonly ok: boolean; readonly message: string }

export async function probeProvider(provider: Provider, secrets: SecretStore): Promise<ProbeResult> {
  if (provider.dialect === 'demo') return { ok: true, message: 'The demo provider is built in and always answers.' }
  const { origin } = new URL(provider.baseUrl)
  const secret = provider.hasSecret ? await secrets.get({ providerId: provider.id, origin }) : undefined
  if (provider.hasSecret && secret === undefined)
    return { ok: false, message: 'Its secret is not there any more. Set it again.' }
  try {
    const answer = await request(`${provider.baseUrl}/models`, {
      headers: { accept: 'application/json', ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }) },
      headersTimeout: TIME_LIMIT_MS,
      bodyTimeout: TIME_LIMIT_MS,
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    })
    await answer.body.dump({ limit: MAX_LISTED_BYTES })
    return judge(answer.statusCode, secret !== undefined)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer in time'
    return { ok: false, message: `It could not be reached (${code}). Check the base URL and the network.` }
  }
}

function judge(status: number, hasSecret: boolean): ProbeResult {
  if (status >= 200 && status < 300) return { ok: true, message: 'It answers and accepts the secret.' }
  if (status === 401 || status === 403) {
    const what = hasSecret ? 'It refuses the secret' : 'It wants a secret and none is set'
    return { ok: false, message: `${what} (${status}). Set it with 'farebox provider secret'.` }
  }
  if (status === 404) return { ok: false, message: 'It answers 404: the base URL is probably wrong. Most end in /v1.' }
  if (status >= 300 && status < 400)
    return { ok: false, message: `It redirects (${status}), which is not followed. Use the final URL.` }
  return { ok: false, message: `It answers ${status}.` }
}
