// Turns what was typed into a request of the admin API, checked against the contract before anything is opened or sent, so
// that a mistake is about the flag that somebody typed.

import { UsageError } from '#cli/errors.ts'
import { flagName } from '#cli/flags.ts'
import { ADMIN_API, type Endpoint, type RequestBody, type RequestQuery } from '#contract/admin-api.ts'
import type { AdminAction, AdminRoutes } from '#contract/admin-routes.ts'
import { check, type Problem } from '#contract/validate.ts'

type ActionWith<Member extends 'body' | 'query'> = {
  [Action in AdminAction]: AdminRoutes[Action] extends Readonly<Record<Member, string>> ? Action : never
}[AdminAction]

/** The body of a request, or a UsageError about the first flag that is missing or wrong. */
export function requestBody<Action extends ActionWith<'body'>>(action: Action, draft: object): RequestBody<Action> {
  return inputOf(ADMIN_API[action].body, draft) as RequestBody<Action>
}

/** The same for any action; undefined for one without a body. */
export function anyBody(action: AdminAction, draft: object): unknown {
  const { body } = ADMIN_API[action]
  return body === undefined ? undefined : inputOf(body, draft)
}

/** The same for the query of a request. */
export function requestQuery<Action extends ActionWith<'query'>>(action: Action, draft: object): RequestQuery<Action> {
  return inputOf(ADMIN_API[action].query, draft) as RequestQuery<Action>
}

function inputOf(schema: Endpoint['body'], draft: object): unknown {
  if (schema === undefined) throw new TypeError('the action takes nothing there')
  const checked = check(schema, defined(draft))
  if (checked.type === 'invalid') throw usageErrorOf(checked.problems)
  return checked.value
}

/** An object without its undefined members: in a request a member is there or it is not. */
export function defined(members: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** The same, or undefined when nothing is left: a group of settings of which none was given. */
export function group(members: object): Record<string, unknown> | undefined {
  const rest = defined(members)
  return Object.keys(rest).length === 0 ? undefined : rest
}

/** What is not typed as a flag of the field's own name. */
const TYPED_AS: Readonly<Record<string, string>> = {
  id: 'ID',
  name: 'NAME',
  targets: '--target',
  secret: 'The secret',
  headers: '--header',
  header_secrets: 'The secret value of a header',
  password: 'The password',
  passphrase: 'The passphrase',
}

function usageErrorOf(problems: readonly Problem[]): UsageError {
  const { path, message } = problems[0] ?? { path: [], message: 'is not valid' }
  const [first = ''] = path
  const field = path.findLast((segment) => typeof segment === 'string') ?? ''
  return new UsageError(`${TYPED_AS[first] ?? flagName(field)} ${message}.`)
}
