// How pages ask: `useApi` to read, `useAction` to change.

import {
  hashKey,
  keepPreviousData,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useState } from 'react'
import type { ResponseBody } from '#contract/admin-api.ts'
import type { AdminAction } from '#contract/admin-routes.ts'
import { callApi, READ_LIMIT_MS, type CallArguments, type CallOptions } from '#renderer/api/client.ts'
import { queryKeyOf } from '#renderer/api/keys.ts'
import { useToast } from '#renderer/components/toast.tsx'

type ReadOptions = {
  readonly isEnabled?: boolean
  /** Asks again at this pace while the page is in sight. */
  readonly everyMs?: number
  /** Shows the old answer while the one to other filters is on its way. */
  readonly keepsPrevious?: boolean
}

/**
 * Reads an action. The first argument pair is that of `callApi`. There is an answer, an error, or one of both within a minute or so: `isLoading` and
 * `isPending` hold until then, and never again behind an error.
 */
export function useApi<Action extends AdminAction>(
  action: Action,
  options: Omit<CallOptions<Action>, 'signal' | 'limitMs'>,
  read: ReadOptions = {},
): UseQueryResult<ResponseBody<Action>> {
  const queryKey = queryKeyOf(action, options)
  const query = useQuery<ResponseBody<Action>>({
    queryKey,
    queryFn: ({ signal }) => callApi(action, ...argumentsOf<Action>({ ...options, signal, limitMs: READ_LIMIT_MS })),
    enabled: read.isEnabled ?? true,
    ...(read.everyMs === undefined ? {} : { refetchInterval: read.everyMs }),
    // The library tells functions from data by their types, which it cannot for a type that is still open.
    ...(read.keepsPrevious === true ? { placeholderData: keepPreviousData as never } : {}),
  })
  const failure = useLastError(query, hashKey(queryKey))
  return failure === null || query.isError ? query : stillFailed(query, failure)
}

/** What is asked for again after it failed is still what could not be read. */
function stillFailed<Data>(query: UseQueryResult<Data>, error: Error): UseQueryResult<Data> {
  return { ...query, status: 'error', error, isError: true, isPending: false, isLoading: false } as UseQueryResult<Data>
}

/**
 * Why there is no answer, also while it is asked for again by itself: what is shown instead does not go and come with each try. null where there is
 * an answer, or it is awaited. `name`: of what is read, where that changes.
 */
export function useLastError(
  { data, error }: Pick<UseQueryResult<unknown>, 'data' | 'error'>,
  name: string = '',
): Error | null {
  const [last, setLast] = useState<LastError>({ name, failure: null })
  const failure = data === undefined ? (error ?? (last.name === name ? last.failure : null)) : null
  if (failure !== last.failure || name !== last.name) setLast({ name, failure })
  return failure
}

type LastError = { readonly name: string; readonly failure: Error | null }

type ChangeOptions<Action extends AdminAction> = {
  /** What the notice says when it worked; without it the page says so itself. */
  readonly done?: string | ((answer: ResponseBody<Action>) => string)
  /** Called before the notice. */
  readonly onDone?: (answer: ResponseBody<Action>) => void
  /** Whose answers are out of date afterwards; all by default, as most changes show in several places. */
  readonly invalidates?: readonly AdminAction[]
  /** The page shows the error itself, beside the field. */
  readonly showsOwnErrors?: boolean
}

/** Changes something: `mutate` takes the options of `callApi`. */
export function useAction<Action extends AdminAction>(
  action: Action,
  change: ChangeOptions<Action> = {},
): UseMutationResult<ResponseBody<Action>, Error, CallOptions<Action>> {
  const queryClient = useQueryClient()
  const toast = useToast()
  return useMutation<ResponseBody<Action>, Error, CallOptions<Action>>({
    // What is sent may be a password and what comes back a key, and neither is to be kept once its dialog is gone.
    gcTime: 0,
    mutationFn: (options) => callApi(action, ...argumentsOf<Action>(options)),
    onSuccess: async (answer) => {
      change.onDone?.(answer)
      if (change.done !== undefined) toast.done(typeof change.done === 'string' ? change.done : change.done(answer))
      const keys = change.invalidates?.map((name) => [name])
      await Promise.all((keys ?? [[]]).map((queryKey) => queryClient.invalidateQueries({ queryKey })))
    },
    onError: (error) => {
      if (change.showsOwnErrors !== true) toast.failed(error.message)
    },
  })
}

/** For a type that is still open the compiler cannot tell which of the two forms of arguments holds. */
function argumentsOf<Action extends AdminAction>(options: object): CallArguments<Action> {
  return [options] as unknown as CallArguments<Action>
}
