// Somebody who is signed in to the dashboard: a browser's cookie and its page's token, on the wire.

import { ADMIN_ROUTES, type AdminAction, type Route } from '#contract/admin-routes.ts'
import type { ResponseBody } from '#contract/admin-api.ts'
import type { SignIn } from '#contract/members.ts'
import type { Farebox } from './farebox.ts'
import { PASSWORD } from './password.ts'

export type Visitor = {
  readonly cookie: string
  readonly token: string
  /** What both of them look like on a request. */
  readonly headers: Readonly<Record<string, string>>
  /** The answer as it came. */
  send(action: AdminAction, options?: SendOptions): Promise<Response>
  /** The body of an answer that is 200; throws with the status and the text of any other. */
  call<Action extends AdminAction>(action: Action, options?: SendOptions): Promise<ResponseBody<Action>>
}
export type SendOptions = {
  readonly id?: string
  readonly body?: unknown
  readonly query?: Readonly<Record<string, string>>
  /** Instead of what proves who asks. */
  readonly headers?: Readonly<Record<string, string>>
}

type At = Pick<Farebox, 'url'>

export function sendTo({ url }: At, action: AdminAction, { id = '', body, query, headers = {} }: SendOptions = {}) {
  const { method, path }: Route = ADMIN_ROUTES[action]
  const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`
  return fetch(url + path.replace('{id}', encodeURIComponent(id)) + search, {
    method,
    headers: { origin: url, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** Tries to sign in; the answer as it came. */
export function trySignIn(farebox: At, claim: SignIn): Promise<Response> {
  return sendTo(farebox, 'signIn', { body: claim })
}

export async function signIn(farebox: At, claim: SignIn): Promise<Visitor> {
  const response = await trySignIn(farebox, claim)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${text}`)
  const { token } = JSON.parse(text) as { token: string }
  const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const headers = { cookie, 'x-farebox-session': token }
  const send = (action: AdminAction, options: SendOptions = {}) => sendTo(farebox, action, { headers, ...options })
  return {
    cookie,
    token,
    headers,
    send,
    async call(action, options) {
      const answer = await send(action, options)
      if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
      return (await answer.json()) as never
    },
  }
}

/** The owner of the machine, who comes with a ticket. */
export async function signInOwner(farebox: Pick<Farebox, 'url' | 'admin'>): Promise<Visitor> {
  const { ticket } = await farebox.admin.call('makeTicket', {})
  return signIn(farebox, { ticket })
}

/** Whoever has a key, and nothing else. */
export function signInWithKey(farebox: At, key: string): Promise<Visitor> {
  return signIn(farebox, { key })
}

/** A new member who signs in. */
export async function newMember(
  farebox: Pick<Farebox, 'url' | 'admin'>,
  name: string,
  more: { role?: 'administrator' | 'member'; packages?: 'all' | string[] } = {},
): Promise<Visitor> {
  await farebox.admin.call('addMember', { body: { name, password: PASSWORD, ...more } })
  return signIn(farebox, { name, password: PASSWORD })
}
