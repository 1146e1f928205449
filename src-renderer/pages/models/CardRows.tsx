import { ExternalLink } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { CardRow } from '#contract/price-card.ts'
import { Badge, Status } from '#renderer/components/badge.tsx'
import { Checkbox } from '#renderer/components/checkbox.tsx'
import { cn } from '#renderer/components/cn.ts'
import { Money } from '#renderer/components/money.tsx'
import { PriceHead } from '#renderer/components/price-head.tsx'
import { EmptyState } from '#renderer/components/states.tsx'
import { Cell, HeadCell, Row, Table } from '#renderer/components/table.tsx'
import { hostOf } from '#renderer/data/card-list.ts'
import { countText } from '#renderer/data/numbers.ts'
import { PRICE_CLASSES, type PriceClass } from '#renderer/data/pricing.ts'

type CardRowsProps = {
  /** Those that would change something. */
  readonly rows: readonly CardRow[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

export function CardRows({ rows, chosen, onChange }: CardRowsProps) {
  const { t } = useTranslation('models')
  if (rows.length === 0) return <EmptyState title={t('card.none')} className="py-6" />
  const isAll = chosen.length === rows.length
  const toggle = (id: string) =>
    onChange(rows.flatMap((row) => (chosen.includes(row.id) !== (row.id === id) ? [row.id] : [])))
  return (
    <div
      className="overflow-x-auto rounded-md border border-line"
      role="region"
      aria-label={t('card.title')}
      tabIndex={0}
    >
      <Table>
        <thead>
          <tr>
            <HeadCell className="w-8">
              <Checkbox
                aria-label={t('card.all')}
                checked={isAll ? true : chosen.length > 0 ? 'indeterminate' : false}
                onCheckedChange={() => onChange(isAll ? [] : rows.map(({ id }) => id))}
              />
            </HeadCell>
            <HeadCell>{t('column.name')}</HeadCell>
            {PRICE_CLASSES.map((name) => (
              <HeadCell key={name} align="right">
                <PriceHead name={t(`class.${name}`)} hint={t('perMillion')} />
              </HeadCell>
            ))}
            <HeadCell>{t('card.source')}</HeadCell>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <OneRow key={row.id} row={row} isChosen={chosen.includes(row.id)} onToggle={() => toggle(row.id)} />
          ))}
        </tbody>
      </Table>
    </div>
  )
}

type OneRowProps = { readonly row: CardRow; readonly isChosen: boolean; readonly onToggle: () => void }

function OneRow({ row, isChosen, onToggle }: OneRowProps) {
  const { t, i18n } = useTranslation('models')
  return (
    <Row>
      <Cell className="align-top">
        <Checkbox aria-label={t('card.choose', { name: row.id })} checked={isChosen} onCheckedChange={onToggle} />
      </Cell>
      <Cell className="min-w-44 align-top">
        <p className="font-medium break-words">{row.id}</p>
        <p className="flex flex-wrap items-center gap-1 text-xs text-muted">
          {row.provider}
          {row.change === 'new' && <Badge>{t('card.new')}</Badge>}
          {row.jump && <Status tone="low">{t('card.jump')}</Status>}
        </p>
        {row.asked_by !== null && <p className="text-xs text-muted">{t('card.askedBy', { provider: row.asked_by })}</p>}
        {row.priced_up_to !== null && (
          <p className="text-xs text-muted">{t('card.upTo', { tokens: countText(row.priced_up_to, i18n.language) })}</p>
        )}
        {row.note !== null && <p className="text-xs text-muted">{row.note}</p>}
      </Cell>
      {PRICE_CLASSES.map((name) => (
        <PriceCell key={name} row={row} name={name} />
      ))}
      <Cell className="align-top text-xs whitespace-nowrap">
        <a
          href={row.source}
          target="_blank"
          rel="noreferrer"
          className="inline-flex items-center gap-1 text-accent underline-offset-2 hover:underline"
        >
          {hostOf(row.source)}
          <ExternalLink aria-hidden className="size-3" />
        </a>
        <p className="text-muted">{row.date}</p>
      </Cell>
    </Row>
  )
}

/** The new price above the old one, where the two differ. */
function PriceCell({ row, name }: { readonly row: CardRow; readonly name: PriceClass }) {
  const { t } = useTranslation('models')
  const isSame = row.old !== null && row.old[name] === row.new[name]
  return (
    <Cell align="right" className="align-top">
      <Money
        credits={row.new[name]}
        detail="exact"
        hasUnit={false}
        className={cn(isSame ? 'text-muted' : 'font-medium')}
      />
      {!isSame && row.old !== null && (
        <p className="text-xs text-muted">
          <s>
            <span className="sr-only">{t('card.was')} </span>
            <Money credits={row.old[name]} detail="exact" hasUnit={false} />
          </s>
        </p>
      )}
    </Cell>
  )
}
