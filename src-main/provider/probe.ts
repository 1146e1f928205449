// `farebox provider test`: one fixed request to a provider, and what its answer means in plain words. It costs nothing: asking
// for the list of models is free everywhere.

import type { Provider } from '#core/entities.ts'
import { DIALECT_HEADERS, presentSecret } from '#provider/authentication.ts'
import type { SecretStore } from '#secret/port.ts'

const TIME_LIMIT_MS = 10_000

export type ProbeResult = { readonly ok: boolean; readonly message: string }

export async function probeProvider(provider: Provider, secrets: SecretStore): Promise<ProbeResult> {
  if (provider.dialect === 'demo') return { ok: true, message: 'The demo provider is built in and always answers.' }
  const { origin } = new URL(provider.baseUrl)
  const secret = provider.hasSecret ? await secrets.get({ providerId: provider.id, origin }) : undefined
  if (provider.hasSecret && secret === undefined)
    return { ok: false, message: 'Its secret is not there any more. Set it again.' }
  try {
    const answer = await fetch(`${provider.baseUrl}/models`, {
      headers: {
        accept: 'application/json',
        ...DIALECT_HEADERS[provider.dialect],
        ...(secret === undefined ? {} : presentSecret(provider, secret)),
      },
      // fetch would take other secrets than Authorization along to wherever a redirect points.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    })
    await answer.body?.cancel()
    return judge(answer.status, secret !== undefined)
  } catch (error) {
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

/** fetch hides what the system said in the cause of its error. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer in time'
}
