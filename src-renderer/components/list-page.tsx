// A page that is a list: its head, filters above a table, and what is opened from it. Its states are alike on all such pages.

import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useLastError } from '#renderer/api/use-api.ts'
import { After } from '#renderer/components/after.tsx'
import { Card } from '#renderer/components/card.tsx'
import { DataTable, type DataTableProps } from '#renderer/components/data-table.tsx'
import { PageHeader } from '#renderer/components/page-header.tsx'
import { StaleMark } from '#renderer/components/states.tsx'
import { ownZone } from '#renderer/data/zone-dates.ts'

type ListPageProps<Item> = Omit<DataTableProps<Item>, 'label' | 'error'> & {
  readonly title: string
  /** What this page is for, in a sentence. */
  readonly description: ReactNode
  /** What is said where the list could not be read. */
  readonly failed: string
  /** The answer that the items are of. */
  readonly list: Pick<UseQueryResult<unknown>, 'data' | 'isError' | 'error' | 'dataUpdatedAt' | 'refetch'>
  /** Since when the items are old, where that is not the age of the answer; null where the page does not say it. */
  readonly staleAtMs?: number | null
  readonly actions?: ReactNode
  /** Whose times it shows; the browser's unless given. */
  readonly zone?: string
  /** Between the head and the list. */
  readonly notice?: ReactNode
  /** Nobody knows yet whether there is a notice, so that nobody knows where the list begins. */
  readonly isNoticeOpen?: boolean
  readonly filters?: ReactNode
  /** Under the rows, in the same frame. */
  readonly foot?: ReactNode
  /** Below the list, which it waits for; drawers and dialogs. */
  readonly children?: ReactNode
}

export function ListPage<Item>(props: ListPageProps<Item>) {
  const {
    title,
    description,
    failed,
    list,
    staleAtMs,
    zone = ownZone(),
    actions,
    notice,
    isNoticeOpen = false,
    filters,
    foot,
    children,
    ...table
  } = props
  const failure = useLastError(list)
  const answerAtMs = list.isError && list.data !== undefined ? list.dataUpdatedAt : null
  const oldAtMs = staleAtMs === undefined ? answerAtMs : staleAtMs
  return (
    <>
      <PageHeader
        title={title}
        description={description}
        zone={zone}
        actions={
          <>
            {oldAtMs !== null && <StaleMark atMs={oldAtMs} />}
            {actions}
          </>
        }
      />
      {notice}
      <After isReady={!isNoticeOpen}>
        <Card isFlush>
          {filters}
          <DataTable
            {...table}
            label={title}
            error={
              failure === null
                ? undefined
                : { title: failed, text: failure.message, onRetry: () => void list.refetch() }
            }
          />
          {foot}
        </Card>
      </After>
      <After isReady={!isNoticeOpen && (table.items !== undefined || failure !== null)}>{children}</After>
    </>
  )
}
