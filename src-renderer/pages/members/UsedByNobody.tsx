import { useTranslation } from 'react-i18next'
import { Card } from '#renderer/components/card.tsx'
import { Money } from '#renderer/components/money.tsx'
import { Cell, HeadCell, Row, Table } from '#renderer/components/table.tsx'
import { Tokens } from '#renderer/components/tokens.tsx'
import { tokensOf, type MemberUsage } from '#renderer/data/member-usage.ts'
import { countText } from '#renderer/data/numbers.ts'

/** Keys that are no member's: of nobody, or of somebody who is no member any more. Without them the members would not add up. */
export function UsedByNobody({ nobody }: Pick<MemberUsage, 'nobody'>) {
  const { t, i18n } = useTranslation('members')
  if (nobody.length === 0) return null
  return (
    <Card title={t('nobody.title')} isFlush className="mt-4">
      <div role="region" aria-label={t('nobody.title')} tabIndex={0} className="overflow-x-auto -outline-offset-2">
        <Table aria-label={t('nobody.title')}>
          <thead>
            <tr>
              <HeadCell>{t('nobody.owner')}</HeadCell>
              <HeadCell align="right">{t('column.requests')}</HeadCell>
              <HeadCell align="right">{t('column.tokens')}</HeadCell>
              <HeadCell align="right">{t('column.charge')}</HeadCell>
            </tr>
          </thead>
          <tbody>
            {nobody.map(({ name, totals }) => (
              <Row key={name ?? ''}>
                <Cell className="wrap-anywhere">{name ?? <span className="text-muted">{t('nobody.none')}</span>}</Cell>
                <Cell align="right">{countText(totals.requests, i18n.language)}</Cell>
                <Cell align="right">
                  <Tokens count={tokensOf(totals)} />
                </Cell>
                <Cell align="right">
                  <Money credits={totals.charge_credits} />
                </Cell>
              </Row>
            ))}
          </tbody>
        </Table>
      </div>
    </Card>
  )
}
