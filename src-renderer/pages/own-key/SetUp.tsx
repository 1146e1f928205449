import { useTranslation } from 'react-i18next'
import type { PackageView } from '#contract/schemas.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Answer } from '#renderer/components/answer.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Snippets } from '#renderer/components/snippets.tsx'
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
      <Answer of={models} lines={4}>
        {() =>
          model === undefined ? (
            <p className="text-sm text-muted">{t('made.noModel')}</p>
          ) : (
            <Snippets hasKey={false} snippets={snippetsFor({ url, model, shell: shellOf(navigator.userAgent) })} />
          )
        }
      </Answer>
    </Card>
  )
}
