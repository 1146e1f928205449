// `farebox provider test`: one fixed request to a provider, and what its answer means in plain words. It costs nothing: asking
// for the list of models is free everywhere.

import type { Provider } from '#core/entities.ts'
import { DIALECT_HEADERS, presentSecret } from '#provider/authentication.ts'
import type { Connections } from '#provider/connections.ts'
import { AddressError } from '#provider/guarded-connector.ts'
import type { SecretStore } from '#secret/port.ts'

const TIME_LIMIT_MS = 10_000

export type ProbeResult = { readonly ok: boolean; readonly message: string }

export type ProbeTools = { readonly secrets: SecretStore; readonly connections: Connections }

export async function probeProvider(provider: Provider, { secrets, connections }: ProbeTools): Promise<ProbeResult> {
  if (provider.dialect === 'demo') return { ok: true, message: 'The demo provider is built in and always answers.' }
  const { origin, pathname } = new URL(provider.baseUrl)
  const secret = provider.hasSecret ? await secrets.get({ providerId: provider.id, origin }) : undefined
  if (provider.hasSecret && secret === undefined)
    return { ok: false, message: 'Its secret is not there any more. Set it again.' }
  try {
    const answer = await connections.pool(provider).request({
      method: 'GET',
      path: `${pathname.replace(/\/+$/, '')}/models`,
      headers: {
        accept: 'application/json',
        ...DIALECT_HEADERS[provider.dialect],
        ...(secret === undefined ? {} : presentSecret(provider, secret)),
      },
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    })
    // The status says it all. Leaving a body unread is an error to it, which nobody needs to hear of.
    answer.body.on('error', () => undefined).destroy()
    return judge(answer.statusCode, secret !== undefined)
  } catch (error) {
    if (error instanceof AddressError) return { ok: false, message: `Its base URL ${error.message}.` }
    const code = causeOf(error)
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

/** What the system or undici calls it; running out of time has no such name. */
function causeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no answer in time'
}
