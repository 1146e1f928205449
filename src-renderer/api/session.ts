// Who is signed in. The answer of `showSession` is the one source; the token only proves it.

import { useQuery, type QueryClient } from '@tanstack/react-query'
import type { ResponseBody } from '#contract/admin-api.ts'
import { callApi, READ_LIMIT_MS } from '#renderer/api/client.ts'
import { queryKeyOf } from '#renderer/api/keys.ts'
import { forgetSessionToken, keepSessionToken } from '#renderer/api/session-token.ts'

export type Session = ResponseBody<'showSession'>
export type Credentials =
  { readonly ticket: string } | { readonly name: string; readonly password: string } | { readonly key: string }

const SESSION_QUERY = {
  queryKey: queryKeyOf('showSession'),
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => callApi('showSession', { signal, limitMs: READ_LIMIT_MS }),
  staleTime: 60_000,
}

/** Throws an ApiError where the credentials are refused. */
export async function signIn(queryClient: QueryClient, credentials: Credentials): Promise<void> {
  begin(queryClient, await callApi('signIn', { body: credentials }))
}

/** Chooses the password of whoever was invited, who is signed in then. Throws an ApiError where the invite is refused. */
export async function acceptInvite(queryClient: QueryClient, code: string, password: string): Promise<void> {
  begin(queryClient, await callApi('acceptInvite', { body: { code, password } }))
}

function begin(queryClient: QueryClient, { token, session }: ResponseBody<'signIn'>): void {
  // What an earlier session was shown must not be shown to this one.
  queryClient.clear()
  keepSessionToken(token)
  queryClient.setQueryData(SESSION_QUERY.queryKey, session)
}

/** Ends the session here in any case, and on the server where that still answers. */
export async function signOut(queryClient: QueryClient): Promise<void> {
  try {
    await callApi('signOut')
  } catch {
    // Whoever signs out is signed out here; without an answer the session ends by itself.
  }
  forgetSession(queryClient)
}

/** For a session that the server has ended, or is about to. */
export function forgetSession(queryClient: QueryClient): void {
  forgetSessionToken()
  queryClient.clear()
}

export function loadSession(queryClient: QueryClient): Promise<Session> {
  return queryClient.fetchQuery(SESSION_QUERY)
}

/** Whether the session that another tab has begun is of whom this tab was shown to, if of anybody. */
export async function isStillSame(queryClient: QueryClient): Promise<boolean> {
  const before = queryClient.getQueryData<Session>(SESSION_QUERY.queryKey)
  if (before === undefined) return true
  try {
    const now = await callApi('showSession')
    if (now.name !== before.name || now.role !== before.role) return false
    queryClient.setQueryData(SESSION_QUERY.queryKey, now)
  } catch {
    // Where the session is not good the page for signing in is shown already; without an answer nothing new is shown.
  }
  return true
}

/** The session of the shell, which shows nothing before there is one. */
export function useSession(): Session | undefined {
  return useQuery(SESSION_QUERY).data
}
