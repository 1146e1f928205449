import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '#renderer/api/client.ts'

/** Everything is on this machine, so asking again is cheap; this only keeps pages from asking twice for the same thing. */
const STALE_MS = 10_000
const MAX_RETRIES = 2

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        retry: (count, error) => count < MAX_RETRIES && isUnanswered(error),
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}

/** A refusal would only be repeated, and nobody waits twice for what did not come in a minute; a connection that broke may be a moment's. */
function isUnanswered(error: Error): boolean {
  return error instanceof ApiError && error.code === 'no_answer'
}
