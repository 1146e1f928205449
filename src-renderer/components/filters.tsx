// The fields that narrow a list down.

import { Search } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Input, Select } from '#renderer/components/input.tsx'

export type FilterTextProps = {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

export function FilterText({ label, value, onChange }: FilterTextProps) {
  // The address follows a moment later, and must not take back what was typed meanwhile.
  const [typed, setTyped] = useState<string>()
  return (
    <span className="relative w-64 max-sm:w-full">
      <Search aria-hidden className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-muted" />
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={100}
        value={typed ?? value}
        onChange={(event) => {
          setTyped(event.target.value)
          onChange(event.target.value)
        }}
        onBlur={() => setTyped(undefined)}
        className="pl-8"
      />
    </span>
  )
}

type FilterWordProps = {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

/** Takes effect when the field is left or Enter is pressed: half a word is no filter. */
export function FilterWord({ label, value, onChange }: FilterWordProps) {
  const [typed, setTyped] = useState<string>()
  const apply = () => {
    if (typed === undefined) return
    onChange(typed.trim() === '' ? undefined : typed.trim())
    setTyped(undefined)
  }
  return (
    <Input
      aria-label={label}
      placeholder={label}
      maxLength={64}
      value={typed ?? value ?? ''}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  )
}

/** What is wrong with what was typed, floating below its field, because a line of filters has no room for it. */
export function FilterProblem({ id, children }: { readonly id: string; readonly children: ReactNode }) {
  return (
    <span id={id} role="alert" className="absolute top-full left-0 z-20 w-56 bg-surface p-1 text-xs text-red shadow-lg">
      {children}
    </span>
  )
}

type FilterSelectProps<Value extends string> = {
  readonly label: string
  /** Undefined: the first choice, which does not narrow. */
  readonly value: Value | undefined
  /** What the first choice says: `All packages`. */
  readonly all: string
  readonly choices: readonly { readonly value: Value; readonly label: string }[]
  readonly onChange: (value: Value | undefined) => void
}

export function FilterSelect<Value extends string>(props: FilterSelectProps<Value>) {
  const { label, value, all, choices, onChange } = props
  const change = (next: string) => onChange(choices.find((choice) => choice.value === next)?.value)
  const isKnown = value === undefined || choices.some((choice) => choice.value === value)
  return (
    <Select aria-label={label} value={value ?? ''} onChange={(event) => change(event.target.value)}>
      <option value="">{all}</option>
      {/* What an old address filters by may be gone, and must still be seen to filter. */}
      {!isKnown && <option value={value}>{value}</option>}
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </Select>
  )
}
