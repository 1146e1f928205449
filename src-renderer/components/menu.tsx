import { Check } from 'lucide-react'
import { DropdownMenu as Base } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from '#renderer/components/cn.ts'

const ITEM =
  'flex h-8 cursor-default items-center gap-2 rounded px-2 text-sm outline-none select-none data-[disabled]:opacity-50 data-[highlighted]:bg-sunken [&_svg]:size-4 [&_svg]:shrink-0'

type MenuProps = {
  /** The button that opens it; one element. */
  readonly trigger: ReactNode
  readonly align?: 'start' | 'end'
  readonly children: ReactNode
}

export function Menu({ trigger, align = 'end', children }: MenuProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger asChild>{trigger}</Base.Trigger>
      <Base.Portal>
        <Base.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-lg data-[state=open]:animate-appear"
        >
          {children}
        </Base.Content>
      </Base.Portal>
    </Base.Root>
  )
}

type MenuItemProps = {
  readonly onSelect: () => void
  readonly isDisabled?: boolean
  readonly isDanger?: boolean
  readonly children: ReactNode
}

export function MenuItem({ onSelect, isDisabled = false, isDanger = false, children }: MenuItemProps) {
  return (
    <Base.Item
      onSelect={onSelect}
      disabled={isDisabled}
      className={cn(ITEM, isDanger && 'text-red data-[highlighted]:bg-red-soft')}
    >
      {children}
    </Base.Item>
  )
}

type MenuChoiceProps<Value extends string> = {
  readonly label: string
  readonly value: Value
  readonly choices: readonly { readonly value: Value; readonly label: string }[]
  readonly onChange: (value: Value) => void
}

/** A choice of one of several inside a menu. */
export function MenuChoice<Value extends string>({ label, value, choices, onChange }: MenuChoiceProps<Value>) {
  return (
    <Base.Group>
      <Base.Label className="px-2 pt-2 pb-1 text-xs text-muted">{label}</Base.Label>
      {choices.map((choice) => (
        <Base.CheckboxItem
          key={choice.value}
          checked={choice.value === value}
          onSelect={(event) => {
            event.preventDefault()
            onChange(choice.value)
          }}
          className={ITEM}
        >
          <span className="flex-1">{choice.label}</span>
          <Base.ItemIndicator>
            <Check aria-hidden />
          </Base.ItemIndicator>
        </Base.CheckboxItem>
      ))}
    </Base.Group>
  )
}

export function MenuLine() {
  return <Base.Separator className="my-1 h-px bg-line" />
}
