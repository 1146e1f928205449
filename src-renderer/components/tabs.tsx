import { Tabs as Base, ToggleGroup } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from '#renderer/components/cn.ts'

type Choice<Value extends string> = { readonly value: Value; readonly label: ReactNode }

type TabsProps<Value extends string> = {
  readonly label: string
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly tabs: readonly (Choice<Value> & { readonly content: ReactNode })[]
  readonly className?: string
}

export function Tabs<Value extends string>({ label, value, onChange, tabs, className }: TabsProps<Value>) {
  const change = (next: string) => {
    const tab = tabs.find((candidate) => candidate.value === next)
    if (tab !== undefined) onChange(tab.value)
  }
  return (
    <Base.Root value={value} onValueChange={change} className={className}>
      <Base.List aria-label={label} className="flex gap-4 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <Base.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px border-b-2 border-transparent px-1 py-2 text-sm whitespace-nowrap text-muted -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
          >
            {tab.label}
          </Base.Trigger>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Content key={tab.value} value={tab.value} className="pt-4">
          {tab.content}
        </Base.Content>
      ))}
    </Base.Root>
  )
}

type SegmentsProps<Value extends string> = {
  readonly label: string
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly choices: readonly Choice<Value>[]
}

/** A choice of one of a few short words: the metric of a chart, the size of its steps. */
export function Segments<Value extends string>({ label, value, onChange, choices }: SegmentsProps<Value>) {
  const change = (next: string) => {
    const choice = choices.find((candidate) => candidate.value === next)
    if (choice !== undefined) onChange(choice.value)
  }
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      onValueChange={change}
      className="inline-flex max-w-full flex-wrap rounded-md border border-line bg-sunken p-0.5"
    >
      {choices.map((choice) => (
        <ToggleGroup.Item
          key={choice.value}
          value={choice.value}
          className={cn(
            'h-6 rounded px-2 text-xs text-muted hover:text-ink',
            'data-[state=on]:bg-surface data-[state=on]:font-medium data-[state=on]:text-ink data-[state=on]:shadow-sm',
          )}
        >
          {choice.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
