import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { callApi } from '#renderer/api/client.ts'
import { useExport, type ReadPage } from '#renderer/api/use-export.ts'
import { ExportDialog } from '#renderer/components/export-dialog.tsx'
import { saveText } from '#renderer/components/save-text.ts'
import { LEDGER_EXPORT, type LedgerRow } from '#renderer/data/list-export.ts'
import type { LedgerSearch } from '#renderer/pages/ledger/search.ts'

const PAGE_SIZE = '500'

type ExportLedgerProps = { readonly filter: LedgerSearch; readonly onClose: () => void }

/** The entries that the filters leave, as a file. */
export function ExportLedger({ filter, onClose }: ExportLedgerProps) {
  const { t } = useTranslation('ledger')
  const read = useCallback<ReadPage<LedgerRow>>(
    async (before, signal) => {
      const query = { ...filter, limit: PAGE_SIZE, ...(before === undefined ? {} : { before }) }
      const { entries, next } = await callApi('listLedger', { query, signal })
      return { rows: entries, next }
    },
    [filter],
  )
  const { found, text } = useExport(LEDGER_EXPORT, read)
  return (
    <ExportDialog
      title={t('export')}
      found={found}
      sumName={t('exportSum')}
      onSave={() => saveText('farebox-ledger.csv', 'text/csv', text())}
      onClose={onClose}
    />
  )
}
