// Calls of the admin API, typed from its table. The same calls reach a running gateway over HTTP or routes in this process;
// which of the two is the transport's business.

import { createHmac, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandFailure, errorCode } from '#cli/errors.ts'
import { addressOf } from '#contract/admin-address.ts'
import { ADMIN_API, type CallInput, type Endpoint, type ResponseBody } from '#contract/admin-api.ts'
import type { AdminAction } from '#contract/admin-routes.ts'
import { check, firstProblem } from '#contract/validate.ts'
import { CHALLENGE_HEADER, PROOF_HEADER, provedText } from '#core/instance-proof.ts'

export type AdminClient = {
  /** Throws an AdminError when the API refuses, a CommandFailure when there is no usable answer. */
  readonly call: <Action extends AdminAction>(action: Action, input: CallInput<Action>) => Promise<ResponseBody<Action>>
}

/** `path` includes the query; `body` is a JSON value, or undefined for none. */
export type AdminRequest = { readonly method: Endpoint['method']; readonly path: string; readonly body: unknown }
export type AdminResponse = { readonly status: number; readonly body: unknown }
export type AdminTransport = (request: AdminRequest) => Promise<AdminResponse>

/** The admin API said no. The message is the API's own. */
export class AdminError extends Error {
  readonly status: number
  readonly errorType: string
  /** The field that the refusal is about, such as `document.models.0.targets.0.provider`, where the API names one. */
  readonly param: string | undefined

  constructor(status: number, error: { readonly type: string; readonly message: string; readonly param?: string }) {
    super(error.message)
    this.name = 'AdminError'
    this.status = status
    this.errorType = error.type
    this.param = error.param
  }
}

const ONLY_DOTS = { type: 'not_found_error', message: 'Nothing can be reached by a name of only dots. Use its id.' }

export function adminClient(transport: AdminTransport): AdminClient {
  return { call }

  async function call<Action extends AdminAction>(action: Action, input: CallInput<Action>) {
    const { method, path, response } = ADMIN_API[action]
    const address = addressOf(path, input.id, input.query)
    if (address === undefined) throw new AdminError(404, ONLY_DOTS)
    const answer = await transport({ method, path: address, body: input.body })
    if (answer.status < 200 || answer.status > 299) throw refusalOf(answer)
    const checked = check(response, answer.body)
    if (checked.type === 'valid') return checked.value as ResponseBody<Action>
    throw unknownAnswer(firstProblem(checked.problems).message)
  }
}

/** Longer than a provider's test or the verification of a large ledger takes. */
const TIME_LIMIT_MS = 120_000
/** A database of many gigabytes; a provider's report of hundreds of pages. */
const LONG_TIME_LIMIT_MS = 290_000
const LONG_PATHS: readonly string[] = [ADMIN_API.backUp, ADMIN_API.checkBill, ADMIN_API.settleBill].map(
  ({ path }) => path,
)
const HEALTH_TIME_LIMIT_MS = 2_000
const MAX_ANSWER_BYTES = 64 * 1_048_576

/** Calls a running gateway. Redirects are refused: nothing else may ever see the token. */
export function httpTransport({ url, token }: { readonly url: string; readonly token: string }): AdminTransport {
  return async ({ method, path, body }) => {
    const headers: Record<string, string> = { authorization: `Bearer ${token}` }
    if (body !== undefined) headers['content-type'] = 'application/json'
    try {
      const response = await fetch(new URL(path, url), {
        method,
        headers,
        redirect: 'error',
        signal: AbortSignal.timeout(LONG_PATHS.includes(path) ? LONG_TIME_LIMIT_MS : TIME_LIMIT_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: jsonOf(await textOf(response)) }
    } catch (error) {
      if (error instanceof CommandFailure) throw error
      throw new CommandFailure('no_answer', `The gateway at ${url} does not answer (${errorCode(error)}).`)
    }
  }
}

export type Instance = { readonly url: string; readonly pid: number; readonly token: string }

/** The gateway that runs on a data folder, from its `instance.json`; undefined when none does, or none that answers. */
export async function readInstance(dataDir: string): Promise<Instance | undefined> {
  const instance = instanceOf(await readFile(join(dataDir, 'instance.json'), 'utf8').catch(() => ''))
  // A gateway that was killed leaves its file behind, so the file alone proves nothing.
  return instance !== undefined && (await isHealthy(instance)) ? instance : undefined
}

function instanceOf(text: string): Instance | undefined {
  const { url, pid, token } = membersOf(jsonOf(text))
  if (typeof url !== 'string' || !URL.canParse(url) || !/^https?:/.test(url)) return undefined
  if (typeof pid !== 'number' || typeof token !== 'string' || token === '') return undefined
  return { url, pid, token }
}

/** Whether the gateway of the file answers, and not whoever took its address after it was killed. */
async function isHealthy({ url, token }: Instance): Promise<boolean> {
  try {
    const challenge = randomBytes(32).toString('hex')
    const response = await fetch(new URL('/health', url), {
      redirect: 'error',
      signal: AbortSignal.timeout(HEALTH_TIME_LIMIT_MS),
      headers: { [CHALLENGE_HEADER]: challenge },
    })
    await response.body?.cancel()
    const proof = createHmac('sha256', token).update(provedText(challenge)).digest('hex')
    return response.status === 200 && response.headers.get(PROOF_HEADER) === proof
  } catch {
    // Every failure here means the same: the gateway does not answer.
    return false
  }
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_ANSWER_BYTES) throw new CommandFailure('answer_too_large', 'The answer of the gateway is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The value of a JSON text; undefined for anything else. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller treats what is not JSON like an answer without a body.
    return undefined
  }
}

function refusalOf({ status, body }: AdminResponse): AdminError {
  const { type, message, param } = membersOf(membersOf(body)['error'])
  if (typeof type !== 'string' || typeof message !== 'string') {
    return new AdminError(status, { type: 'api_error', message: `The gateway answered with status ${status}.` })
  }
  return new AdminError(status, { type, message, ...(typeof param === 'string' ? { param } : {}) })
}

/** Refusing such an answer beats printing half of it: in one version of Farebox it cannot happen. */
function unknownAnswer(problem: string): CommandFailure {
  const message = `The gateway answered, but not as this version of the command expects. ${problem}`
  return new CommandFailure('unknown_answer', `${message} If it runs another version, restart it.`)
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
