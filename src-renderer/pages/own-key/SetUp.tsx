import { useTranslation } from 'react-i18next'
import type { PackageView } from '#contract/schemas.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Card } from '#renderer/components/card.tsx'
import { Snippets } from '#renderer/components/snippets.tsx'
import { Loading } from '#renderer/components/states.tsx'
import { modelFor } from '#renderer/data/key-list.ts'
import { shellOf, snippetsFor } from '#renderer/data/snippets.ts'

/** Lines to paste for each tool, with a place for the key: the page has forgotten its value since it was typed. */
export function SetUp({ entity }: { readonly entity: PackageView | undefined }) {
  const { t } = useTranslation('keys')
  const url = useApi('overview', {}).data?.gateway.url ?? location.origin
  const models = useApi('listModels', {})
  const model = modelFor(entity, models.data)
  return (
    <Card title={t('own.setUp')}>
      {model !== undefined ? (
        <Snippets hasKey={false} snippets={snippetsFor({ url, model, shell: shellOf(navigator.userAgent) })} />
      ) : models.isPending ? (
        <Loading lines={4} />
      ) : (
        <p className="text-sm text-muted">{t('made.noModel')}</p>
      )}
    </Card>
  )
}
