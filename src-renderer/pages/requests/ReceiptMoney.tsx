import { CircleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { ReceiptView } from '#contract/receipt.ts'
import { Money } from '#renderer/components/money.tsx'
import { Cell, HeadCell, Row, Table } from '#renderer/components/table.tsx'
import { Tokens } from '#renderer/components/tokens.tsx'
import { decimalText } from '#renderer/data/decimal.ts'
import { countText } from '#renderer/data/numbers.ts'
import { chargeSum, holdEnd } from '#renderer/data/receipt.ts'

type MoneyPartProps = { readonly receipt: ReceiptView }

const CLASSES = ['input', 'cache_read', 'cache_write', 'output', 'reasoning'] as const

/** How many tokens of each class, and who counted them. */
export function TokenClasses({ receipt: { tokens } }: MoneyPartProps) {
  const { t } = useTranslation('requests')
  return (
    <Table aria-label={t('tokens')}>
      <thead>
        <tr>
          <HeadCell className="pl-0">{t('class')}</HeadCell>
          <HeadCell align="right">{t('tokens')}</HeadCell>
          <HeadCell className="pr-0">{t('source')}</HeadCell>
        </tr>
      </thead>
      <tbody>
        {CLASSES.map((name) => {
          const { tokens: count, source } = tokens[name]
          return (
            <Row key={name}>
              <Cell className="pl-0">
                {t(`classes.${name}`)}
                {name === 'reasoning' && <span className="text-xs text-muted"> {t('partOfOutput')}</span>}
              </Cell>
              <Cell align="right">
                {source === 'estimated' && <span className="text-muted">~</span>}
                <Tokens count={count} isExact />
              </Cell>
              <Cell className="pr-0 text-muted" title={t(`sourceHints.${source}`)}>
                {t(`sources.${source}`)}
              </Cell>
            </Row>
          )
        })}
      </tbody>
    </Table>
  )
}

/** The lines that add up to the charge, and what became of the hold. */
export function Charge({ receipt }: MoneyPartProps) {
  const { t } = useTranslation('requests')
  const { price } = receipt
  return (
    <>
      <p className="text-xs text-muted">
        {price === null ? t('noPrice') : t('priceVersion', { version: price.version })}
        {receipt.tier !== undefined && ` · ${t('tier', { tier: receipt.tier })}`}
      </p>
      {receipt.unnamed?.map(({ name, charged_as: as }) => (
        <p key={name} className="text-xs text-amber">
          {as === null ? t('unnamedFree', { name }) : t('unnamed', { name, as })}
        </p>
      ))}
      <ChargeLines receipt={receipt} />
      {receipt.settled !== undefined && (
        <p className="text-sm">
          {t('settled')} <Money credits={receipt.settled.charge_credits} detail="exact" />
          <span className="block text-xs text-muted">{receipt.settled.reason}</span>
        </p>
      )}
      {receipt.billed_usd !== undefined && (
        <p className="text-sm text-muted">{t('billed', { amount: receipt.billed_usd })}</p>
      )}
      <Hold receipt={receipt} />
    </>
  )
}

function ChargeLines({ receipt }: MoneyPartProps) {
  const { t, i18n } = useTranslation('requests')
  const locale = i18n.language
  const sum = chargeSum(receipt)
  if (sum === undefined || !sum.isExact) return <Mismatch receipt={receipt} />
  return (
    <div role="region" aria-label={t('charge')} tabIndex={0} className="overflow-x-auto">
      <Table aria-label={t('charge')}>
        <thead>
          <tr>
            <HeadCell className="pl-0">{t('line')}</HeadCell>
            <HeadCell align="right">{t('tokens')}</HeadCell>
            <HeadCell align="right">{t('perMillion')}</HeadCell>
            <HeadCell align="right" className="pr-0">
              {t('columns.cost')}
            </HeadCell>
          </tr>
        </thead>
        <tbody>
          {sum.lines.map((line) => (
            <Row key={line.unit ?? line.type}>
              <Cell className="pl-0">
                {line.unit ?? t(`lines.${line.type}`)}
                {line.unit !== undefined && <span className="text-xs text-muted"> {t('priceForOne')}</span>}
              </Cell>
              <Cell align="right">{line.count !== undefined && countText(line.count, locale)}</Cell>
              <Cell align="right">
                {line.price !== undefined && <Money credits={line.price} detail="exact" hasUnit={false} />}
              </Cell>
              <Cell align="right" className="pr-0">
                {decimalText(line.amount, sum.places, locale)}
              </Cell>
            </Row>
          ))}
          {sum.lines.length === 0 && (
            <Row>
              <Cell colSpan={4} className="pl-0 text-muted">
                {t('nothingToPay')}
              </Cell>
            </Row>
          )}
        </tbody>
        <tfoot className="font-medium">
          <tr className="border-t border-line-strong">
            <HeadCell scope="row" colSpan={3} className="border-b-0 pl-0 text-sm text-ink">
              {t('charged')}
            </HeadCell>
            <Cell align="right" className="pr-0">
              {decimalText(sum.charge, sum.places, locale)}
            </Cell>
          </tr>
        </tfoot>
      </Table>
    </div>
  )
}

/** Should never be seen: the server says lines that are not the charge. */
function Mismatch({ receipt }: MoneyPartProps) {
  const { t } = useTranslation('requests')
  return (
    <p role="alert" className="flex items-start gap-2 text-red">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span>
        {t('mismatch')} <Money credits={receipt.charge_credits} detail="exact" />
      </span>
    </p>
  )
}

function Hold({ receipt }: MoneyPartProps) {
  const { t } = useTranslation('requests')
  const end = holdEnd(receipt)
  return (
    <p className="text-sm text-muted">
      {t('held')} <Money credits={receipt.held_credits} detail="exact" />
      {end !== undefined && end.type !== 'exact' && (
        <>
          {' · '}
          <span className={end.type === 'overrun' ? 'text-amber' : undefined}>
            {t(`holdEnds.${end.type}`)} <Money micro={end.micro} detail="exact" />
          </span>
        </>
      )}
    </p>
  )
}
