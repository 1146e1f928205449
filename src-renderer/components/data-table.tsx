// A list of rows: sorts where a column can, draws only the rows in sight when there are many, opens a row by click or Enter,
// and has its own empty, loading and error states.

import {
  createSortedRowModel,
  rowSortingFeature,
  sortFn_basic,
  tableFeatures,
  useTable,
  type ColumnDef,
  type ReactTable,
} from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import { useEffect, useMemo, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { cn } from '#renderer/components/cn.ts'
import { ErrorState, Loading } from '#renderer/components/states.tsx'
import { Cell, HeadCell, Table } from '#renderer/components/table.tsx'

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { basic: sortFn_basic },
})
type Features = typeof features

export type Column<Item> = {
  readonly id: string
  readonly header: ReactNode
  readonly cell: (item: Item) => ReactNode
  /** Makes the column sortable. Undefined values come last. */
  readonly sortBy?: (item: Item) => string | number | bigint | undefined
  readonly align?: 'left' | 'right'
  /** Classes for head and cells, such as `w-40` or `max-sm:hidden`. */
  readonly className?: string
}

export type DataTableProps<Item> = {
  /** What the table lists, for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Item>[]
  /** Undefined while loading. */
  readonly items: readonly Item[] | undefined
  readonly idOf: (item: Item) => string
  readonly onOpen?: (item: Item) => void
  /** Shown where there are no rows: an `EmptyState`. */
  readonly empty: ReactNode
  /** What went wrong, in a sentence, when nothing could be read. */
  readonly error?: { readonly title: string; readonly text?: string; readonly onRetry?: () => void } | undefined
  /** How high it may grow before it scrolls, as a class; by default 70 per cent of the window. */
  readonly heightClass?: string
  /** Called whenever the last rows come into sight, to read on. */
  readonly onEnd?: () => void
  /** Row that a drawer beside the table shows. */
  readonly openId?: string | undefined
}

/** From here on only the rows in sight are in the page. */
const VIRTUAL_FROM = 100
const ROW_HEIGHT = 36
/** So many rows before the last one, the next are asked for. */
const NEAR_END = 30

export function DataTable<Item>(props: DataTableProps<Item>) {
  const { items, error, empty } = props
  if (items === undefined) {
    if (error === undefined) return <Loading lines={6} className="p-4" />
    return (
      <ErrorState title={error.title} {...(error.onRetry === undefined ? {} : { onRetry: error.onRetry })}>
        {error.text}
      </ErrorState>
    )
  }
  return items.length === 0 ? empty : <FilledTable {...props} items={items} />
}

type FilledTableProps<Item> = DataTableProps<Item> & { readonly items: readonly Item[] }

function FilledTable<Item>({ label, columns, items, idOf, heightClass, ...rest }: FilledTableProps<Item>) {
  const scrollRef = useRef<HTMLDivElement>(null)
  const definitions = useMemo(() => columns.map(definitionOf), [columns])
  const table = useTable<Features, Entry<Item>>({
    features,
    columns: definitions,
    data: useMemo(() => items.map((item) => ({ item })), [items]),
    getRowId: (entry) => idOf(entry.item),
  })
  const rows = table.getRowModel().rows
  const isVirtual = rows.length >= VIRTUAL_FROM
  const virtual = useVirtualizer({
    count: rows.length,
    enabled: isVirtual,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  })
  const shown = isVirtual ? virtual.getVirtualItems().map(({ index }) => index) : rows.map((_, index) => index)
  useEnd(shown.at(-1) ?? 0, rows.length, rest.onEnd)
  const above = isVirtual ? (virtual.getVirtualItems()[0]?.start ?? 0) : 0
  const below = isVirtual ? virtual.getTotalSize() - (virtual.getVirtualItems().at(-1)?.end ?? 0) : 0
  return (
    <div
      ref={scrollRef}
      role="region"
      aria-label={label}
      tabIndex={0}
      className={cn('relative overflow-auto', heightClass ?? 'max-h-[70vh]')}
    >
      <Table aria-label={label} aria-rowcount={rows.length + 1}>
        <Head table={table} columns={columns} />
        <tbody>
          <Gap height={above} span={columns.length} />
          {shown.map((index) => {
            const row = rows[index]
            return row === undefined ? null : (
              <ItemRow
                key={row.id}
                id={row.id}
                index={index}
                measure={isVirtual ? virtual.measureElement : undefined}
                item={row.original.item}
                columns={columns}
                onOpen={rest.onOpen}
                isOpen={rest.openId === row.id}
              />
            )
          })}
          <Gap height={below} span={columns.length} />
        </tbody>
      </Table>
    </div>
  )
}

function useEnd(lastShown: number, count: number, onEnd: (() => void) | undefined): void {
  const isNear = lastShown >= count - NEAR_END
  useEffect(() => {
    if (isNear) onEnd?.()
  }, [isNear, onEnd])
}

/** The table library wants rows that are objects. */
type Entry<Item> = { readonly item: Item }

function definitionOf<Item>(column: Column<Item>): ColumnDef<Features, Entry<Item>> {
  const { id, sortBy } = column
  if (sortBy === undefined) return { id, enableSorting: false }
  return { id, accessorFn: (entry) => sortBy(entry.item), sortFn: 'basic', sortUndefined: 'last', enableSorting: true }
}

type HeadProps<Item> = {
  readonly table: ReactTable<Features, Entry<Item>>
  readonly columns: readonly Column<Item>[]
}

function Head<Item>({ table, columns }: HeadProps<Item>) {
  return (
    <thead className="sticky top-0 z-10 bg-surface">
      <tr>
        {columns.map((column) => {
          const handle = table.getColumn(column.id)
          const order = handle?.getIsSorted() ?? false
          return (
            <HeadCell
              key={column.id}
              align={column.align ?? 'left'}
              {...(order === false ? {} : { 'aria-sort': order === 'asc' ? 'ascending' : 'descending' })}
              {...(column.className === undefined ? {} : { className: column.className })}
            >
              {column.sortBy === undefined ? (
                column.header
              ) : (
                <SortButton order={order} onClick={() => handle?.toggleSorting()}>
                  {column.header}
                </SortButton>
              )}
            </HeadCell>
          )
        })}
      </tr>
    </thead>
  )
}

type SortButtonProps = {
  readonly order: 'asc' | 'desc' | false
  readonly onClick: () => void
  readonly children: ReactNode
}

function SortButton({ order, onClick, children }: SortButtonProps) {
  const Shape = order === false ? ChevronsUpDown : order === 'asc' ? ArrowUp : ArrowDown
  return (
    <button type="button" onClick={onClick} className="inline-flex items-center gap-1 rounded hover:text-ink">
      {children}
      <Shape aria-hidden className={cn('size-3.5', order === false && 'opacity-50')} />
    </button>
  )
}

type ItemRowProps<Item> = {
  readonly id: string
  readonly index: number
  readonly measure: ((element: HTMLTableRowElement | null) => void) | undefined
  readonly item: Item
  readonly columns: readonly Column<Item>[]
  readonly onOpen: ((item: Item) => void) | undefined
  readonly isOpen: boolean
}

function ItemRow<Item>({ index, measure, item, columns, onOpen, isOpen }: ItemRowProps<Item>) {
  const open = onOpen === undefined ? undefined : () => onOpen(item)
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={isOpen || undefined}
      {...(open === undefined ? {} : { tabIndex: 0, onClick: openUnlessControl(open), onKeyDown: rowKeys(open) })}
      className={cn(
        'border-b border-line last:border-b-0 -outline-offset-2',
        open !== undefined && 'cursor-pointer hover:bg-sunken',
        isOpen && 'bg-accent-soft',
      )}
    >
      {columns.map((column) => (
        <Cell
          key={column.id}
          align={column.align ?? 'left'}
          {...(column.className === undefined ? {} : { className: column.className })}
        >
          {column.cell(item)}
        </Cell>
      ))}
    </tr>
  )
}

/** A click on a button or link inside a row is meant for that, and so is one that ends the marking of text. */
function openUnlessControl(open: () => void) {
  return (event: { readonly target: EventTarget; readonly currentTarget: Element }) => {
    // What is drawn elsewhere on the page, such as an open menu, still hands its clicks to the row that it belongs to.
    if (event.target instanceof Node && !event.currentTarget.contains(event.target)) return
    const isControl =
      event.target instanceof Element && event.target.closest('a, button, input, select, label') !== null
    if (!isControl && (getSelection()?.isCollapsed ?? true)) open()
  }
}

function rowKeys(open: () => void) {
  return (event: KeyboardEvent<HTMLTableRowElement>) => {
    if (event.target !== event.currentTarget) return
    if (event.key === 'Enter') {
      // The drawer takes the focus while the key is still down, and would be closed by what the key does to its first button.
      event.preventDefault()
      open()
    }
    const sibling = {
      ArrowDown: event.currentTarget.nextElementSibling,
      ArrowUp: event.currentTarget.previousElementSibling,
    }
    const next = event.key === 'ArrowDown' || event.key === 'ArrowUp' ? sibling[event.key] : null
    if (!(next instanceof HTMLElement) || next.tabIndex !== 0) return
    event.preventDefault()
    next.focus()
  }
}

/** Takes the place of rows that are not drawn. */
function Gap({ height, span }: { readonly height: number; readonly span: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden>
      <td colSpan={span} style={{ height }} />
    </tr>
  )
}
