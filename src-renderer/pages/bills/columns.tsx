import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { BillDay } from '#contract/bills.ts'
import { Status } from '#renderer/components/badge.tsx'
import type { Column } from '#renderer/components/data-table.tsx'
import { tokenDifference } from '#renderer/data/bill-days.ts'
import { countText } from '#renderer/data/numbers.ts'
import { Dollars } from '#renderer/components/dollars.tsx'

const TONES = { agrees: 'live', explained: 'calm', open: 'waiting', unexplained: 'lost' } as const

export function BillState({ state }: Pick<BillDay, 'state'>) {
  const { t } = useTranslation('bills')
  return <Status tone={TONES[state]}>{t(`state.${state}`)}</Status>
}

export function Causes({ causes }: Pick<BillDay, 'causes'>) {
  const { t } = useTranslation('bills')
  return causes.map((cause) => t(`causes.${cause}`)).join(', ')
}

export function useBillColumns(): readonly Column<BillDay>[] {
  const { t, i18n } = useTranslation('bills')
  return useMemo(() => {
    const money = (id: 'ours' | 'theirs' | 'difference', className?: string): Column<BillDay> => ({
      id,
      header: t(`column.${id}`),
      cell: ({ money: amounts }) => (amounts === null ? '–' : <Dollars amount={amounts[id]} />),
      sortBy: ({ money: amounts }) => (amounts === null ? undefined : Number(amounts[id])),
      align: 'right',
      ...(className !== undefined && { className }),
    })
    return [
      {
        id: 'day',
        header: t('column.day'),
        cell: ({ day, provider }) => (
          <>
            <span className="whitespace-nowrap tabular-nums">{day}</span>
            <span className="block text-xs break-words text-muted sm:hidden">{provider}</span>
          </>
        ),
      },
      {
        id: 'provider',
        header: t('column.provider'),
        cell: ({ provider }) => <span className="break-words">{provider}</span>,
        sortBy: ({ provider }) => provider,
        className: 'max-sm:hidden',
      },
      { id: 'state', header: t('column.state'), cell: ({ state }) => <BillState state={state} /> },
      money('ours', 'max-sm:hidden'),
      money('theirs', 'max-sm:hidden'),
      money('difference'),
      {
        id: 'tokens',
        header: t('column.tokens'),
        cell: (day) => {
          const difference = tokenDifference(day)
          return difference === undefined ? '–' : countText(difference, i18n.language)
        },
        sortBy: (day) => tokenDifference(day),
        align: 'right',
        className: 'max-md:hidden',
      },
      {
        id: 'causes',
        header: t('column.causes'),
        cell: ({ causes }) => <Causes causes={causes} />,
        className: 'max-lg:hidden',
      },
    ]
  }, [t, i18n.language])
}
