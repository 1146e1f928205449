import { useState } from 'react'
import { Status } from '#renderer/components/badge.tsx'
import { Card } from '#renderer/components/card.tsx'
import { DataTable, type Column } from '#renderer/components/data-table.tsx'
import { Sheet } from '#renderer/components/dialog.tsx'
import { Money } from '#renderer/components/money.tsx'
import { EmptyState } from '#renderer/components/states.tsx'
import { Time } from '#renderer/components/time.tsx'
import { Tokens } from '#renderer/components/tokens.tsx'

type Item = { readonly id: string; readonly name: string; readonly cost: number | null; readonly tokens: number }

const ITEMS: readonly Item[] = Array.from({ length: 1000 }, (_, index) => ({
  id: String(index),
  name: `request ${index}`,
  cost: index % 9 === 4 ? null : (index * 0.0083) % 3,
  tokens: (index * 137) % 250_000,
})).map((item) => ({ ...item, cost: item.cost === null ? null : Number(item.cost.toFixed(6)) }))

const COLUMNS: readonly Column<Item>[] = [
  { id: 'name', header: 'Name', cell: (item) => item.name, sortBy: (item) => item.name },
  { id: 'state', header: 'State', cell: () => <Status tone="live">Answered</Status>, className: 'max-sm:hidden' },
  { id: 'time', header: 'Time', cell: (item) => <Time at={Date.now() - Number(item.id) * 61_000} /> },
  {
    id: 'tokens',
    header: 'Tokens',
    align: 'right',
    cell: (item) => <Tokens count={item.tokens} />,
    sortBy: (item) => item.tokens,
  },
  {
    id: 'cost',
    header: 'Cost',
    align: 'right',
    cell: (item) => <Money credits={item.cost} />,
    sortBy: (item) => item.cost ?? undefined,
  },
]

export function Lists() {
  const [open, setOpen] = useState<Item>()
  return (
    <Card title="A thousand rows" isFlush>
      <DataTable
        label="Requests"
        columns={COLUMNS}
        items={ITEMS}
        idOf={(item) => item.id}
        onOpen={setOpen}
        openId={open?.id}
        heightClass="max-h-80"
        empty={<EmptyState title="Nothing here" />}
      />
      <Sheet
        isOpen={open !== undefined}
        onOpenChange={() => setOpen(undefined)}
        title={open?.name ?? ''}
        description="The receipt of one request."
      >
        <Money credits={open?.cost} detail="exact" />
      </Sheet>
    </Card>
  )
}
