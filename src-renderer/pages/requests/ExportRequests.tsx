import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import type { UsageView } from '#contract/schemas.ts'
import { callApi } from '#renderer/api/client.ts'
import { useExport, type ReadPage } from '#renderer/api/use-export.ts'
import { ExportDialog } from '#renderer/components/export-dialog.tsx'
import { saveText } from '#renderer/components/save-text.ts'
import { REQUEST_EXPORT } from '#renderer/data/list-export.ts'
import { queryOf, type RequestFilter } from '#renderer/data/request-filter.ts'

const PAGE_SIZE = '1000'

type ExportRequestsProps = { readonly filter: RequestFilter; readonly onClose: () => void }

/** The requests that the filters leave, as a file. */
export function ExportRequests({ filter, onClose }: ExportRequestsProps) {
  const { t } = useTranslation('requests')
  const read = useCallback<ReadPage<UsageView>>(
    async (before, signal) => {
      const query = { ...queryOf(filter), limit: PAGE_SIZE, ...(before === undefined ? {} : { before }) }
      const { usage, next } = await callApi('usage', { query, signal })
      return { rows: usage, next }
    },
    [filter],
  )
  const { found, text } = useExport(REQUEST_EXPORT, read)
  return (
    <ExportDialog
      title={t('export')}
      found={found}
      sumName={t('exportSum')}
      onSave={() => saveText('farebox-requests.csv', 'text/csv', text())}
      onClose={onClose}
    />
  )
}
