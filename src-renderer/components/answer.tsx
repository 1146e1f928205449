// What a card shows of an answer.

import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorState, Loading } from '#renderer/components/states.tsx'

type AnswerProps<Data> = {
  readonly of: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>
  /** How high it is while it is awaited. */
  readonly lines: number
  readonly children: (data: Data) => ReactNode
}

/** What is in it; else that it is awaited, or why there is none and a way to ask again. Nothing else may become of it. */
export function Answer<Data>({ of: { data, error, refetch }, lines, children }: AnswerProps<Data>) {
  const { t } = useTranslation('common')
  if (data !== undefined) return children(data)
  if (error === null) return <Loading lines={lines} />
  return (
    <ErrorState title={t('notRead')} onRetry={() => void refetch()}>
      {error.message}
    </ErrorState>
  )
}
