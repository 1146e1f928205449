import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ModelOffer } from '#contract/provider-models.ts'
import { Status, type Tone } from '#renderer/components/badge.tsx'
import { Checkbox } from '#renderer/components/checkbox.tsx'
import { DataTable, type Column } from '#renderer/components/data-table.tsx'
import { Input } from '#renderer/components/input.tsx'
import { Money } from '#renderer/components/money.tsx'
import { PriceHead } from '#renderer/components/price-head.tsx'
import { EmptyState } from '#renderer/components/states.tsx'
import { Tokens } from '#renderer/components/tokens.tsx'
import { canBeAdded, filteredOffers } from '#renderer/data/offer-list.ts'

const TONES = {
  ready: 'live',
  unpriced: 'low',
  'no-limits': 'low',
  unsupported: 'calm',
  added: 'calm',
} as const satisfies Record<ModelOffer['state'], Tone>

type OfferListProps = {
  readonly offers: readonly ModelOffer[]
  /** By their names at the provider. */
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

export function OfferList({ offers, chosen, onChange }: OfferListProps) {
  const { t } = useTranslation('providers')
  const [text, setText] = useState('')
  const shown = useMemo(() => filteredOffers(offers, text), [offers, text])
  const columns = useOfferColumns({ shown, chosen, onChange })
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Input
          type="search"
          aria-label={t('offers.search')}
          placeholder={t('offers.search')}
          maxLength={100}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="w-64 max-sm:w-full"
        />
        <span role="status" className="text-xs text-muted">
          {t('offers.count', { count: shown.length })}
        </span>
      </div>
      <div className="rounded-md border border-line">
        <DataTable
          label={t('offers.action')}
          columns={columns}
          items={shown}
          idOf={({ model }) => model}
          heightClass="max-h-96"
          empty={<EmptyState title={t(offers.length === 0 ? 'offers.none' : 'offers.noneMatch')} className="py-6" />}
        />
      </div>
    </div>
  )
}

type ColumnsProps = Omit<OfferListProps, 'offers'> & { readonly shown: readonly ModelOffer[] }

function useOfferColumns({ shown, chosen, onChange }: ColumnsProps): readonly Column<ModelOffer>[] {
  const { t } = useTranslation('providers')
  return useMemo(() => {
    const price = (name: 'input' | 'output'): Column<ModelOffer> => ({
      id: name,
      header: <PriceHead name={t(`offers.${name}`)} hint={t('offers.perMillion')} />,
      cell: (offer) => <Money credits={offer.price?.[name]} detail="exact" hasUnit={false} />,
      sortBy: (offer) => offer.price?.[name],
      align: 'right',
      className: 'max-sm:hidden',
    })
    const columns: readonly Column<ModelOffer>[] = [
      {
        id: 'choose',
        header: <ChooseAll shown={shown} chosen={chosen} onChange={onChange} />,
        cell: (offer) => <Choose offer={offer} chosen={chosen} onChange={onChange} />,
        className: 'w-8',
      },
      {
        id: 'model',
        header: t('offers.model'),
        cell: (offer) => <OfferName offer={offer} />,
        sortBy: ({ model }) => model,
      },
      {
        id: 'context',
        header: t('offers.context'),
        cell: (offer) => <Tokens count={offer.context_window} />,
        sortBy: (offer) => offer.context_window ?? undefined,
        align: 'right',
        className: 'max-md:hidden',
      },
      price('input'),
      price('output'),
      {
        id: 'source',
        header: t('offers.source'),
        cell: ({ price_source: source }) => t(`priceSource.${source}`),
        sortBy: ({ price_source: source }) => source,
        className: 'max-md:hidden whitespace-nowrap',
      },
      {
        id: 'state',
        header: t('offers.state'),
        cell: ({ state, note }) => (
          <span title={note ?? undefined}>
            <Status tone={TONES[state]}>{t(`offerState.${state}`)}</Status>
          </span>
        ),
        sortBy: ({ state }) => state,
      },
    ]
    return columns
  }, [t, shown, chosen, onChange])
}

function OfferName({ offer: { model, kind, kind_source, note } }: { readonly offer: ModelOffer }) {
  const { t } = useTranslation('providers')
  const named = t(`kind.${kind}`)
  return (
    <span className="block max-w-72 max-md:max-w-44">
      <span className="font-medium break-all">{model}</span>
      <span className="block text-xs text-muted">
        {kind_source === 'name' ? t('kind.guessed', { kind: named }) : named}
      </span>
      {note !== null && <span className="block text-xs break-words text-muted">{note}</span>}
    </span>
  )
}

type ChooseProps = { readonly offer: ModelOffer } & Pick<OfferListProps, 'chosen' | 'onChange'>

function Choose({ offer, chosen, onChange }: ChooseProps) {
  const { t } = useTranslation('providers')
  const isChosen = chosen.has(offer.model)
  const toggle = () => {
    const next = new Set(chosen)
    if (isChosen) next.delete(offer.model)
    else next.add(offer.model)
    onChange(next)
  }
  return (
    <Checkbox
      aria-label={t('offers.choose', { name: offer.model })}
      checked={isChosen}
      disabled={!canBeAdded(offer)}
      onCheckedChange={toggle}
    />
  )
}

/** Everything in sight of the search that is ready as it is. */
function ChooseAll({ shown, chosen, onChange }: ColumnsProps) {
  const { t } = useTranslation('providers')
  const ready = shown.filter(({ state }) => state === 'ready').map(({ model }) => model)
  const isAll = ready.length > 0 && ready.every((model) => chosen.has(model))
  const toggle = () => {
    const rest = [...chosen].filter((model) => !ready.includes(model))
    onChange(new Set(isAll ? rest : [...rest, ...ready]))
  }
  return (
    <Checkbox
      aria-label={t('offers.chooseAll')}
      checked={isAll ? true : chosen.size > 0 ? 'indeterminate' : false}
      disabled={ready.length === 0}
      onCheckedChange={toggle}
    />
  )
}
