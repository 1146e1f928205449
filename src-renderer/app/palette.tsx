import { useNavigate } from '@tanstack/react-router'
import { Command as Base } from 'cmdk'
import { Search } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useEffect, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useCommandList } from '#renderer/app/commands.tsx'
import type { Page } from '#renderer/app/page-list.ts'
import { useFinds } from '#renderer/app/use-finds.ts'

type PaletteProps = {
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
  readonly pages: readonly Page[]
  readonly extra: readonly { readonly id: string; readonly label: string; readonly run: () => void }[]
}

/** Goes to a page or runs an action by name; Ctrl K or Cmd K opens it. */
export function Palette({ isOpen, onOpenChange, pages, extra }: PaletteProps) {
  const { t } = useTranslation('common')
  const navigate = useNavigate()
  const commands = useCommandList()
  useHotkey(() => open(!isOpen))
  const [typed, setTyped] = useState('')
  const finds = useFinds(isOpen ? typed : '')
  const open = (next: boolean) => {
    setTyped('')
    onOpenChange(next)
  }
  const choose = (run: () => void) => {
    open(false)
    run()
  }
  return (
    <Dialog.Root open={isOpen} onOpenChange={open}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-shade data-[state=open]:animate-appear" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-24px)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-raised shadow-xl data-[state=open]:animate-appear"
        >
          <Dialog.Title className="sr-only">{t('palette.title')}</Dialog.Title>
          <Base label={t('palette.title')} loop>
            <div className="flex items-center gap-2 border-b border-line px-3">
              <Search aria-hidden className="size-4 shrink-0 text-muted" />
              <Base.Input
                value={typed}
                onValueChange={setTyped}
                placeholder={t('palette.placeholder')}
                className="h-11 w-full bg-transparent text-sm outline-none placeholder:text-muted"
              />
            </div>
            <Base.List className="max-h-80 overflow-y-auto p-1">
              <Base.Empty className="p-4 text-center text-sm text-muted">{t('palette.empty')}</Base.Empty>
              <Group heading={t('palette.actions')} isShown={commands.length + extra.length > 0}>
                {[...commands, ...extra].map((command) => (
                  <Item key={command.id} onSelect={() => choose(command.run)}>
                    {command.label}
                  </Item>
                ))}
              </Group>
              <Group heading={t('palette.pages')} isShown>
                {pages.map((page) => (
                  <Item key={page.name} onSelect={() => choose(() => void navigate({ to: page.path }))}>
                    <page.icon aria-hidden className="size-4 text-muted" />
                    {t(`pages.${page.name}`)}
                  </Item>
                ))}
              </Group>
              <Group heading={t('palette.found')} isShown={finds.length > 0}>
                {finds.map((find) => (
                  <Item
                    key={`${find.kind} ${find.id}`}
                    value={`${find.kind} ${find.id}`}
                    keywords={[typed]}
                    onSelect={() => choose(find.run)}
                  >
                    <span className="w-20 shrink-0 text-xs text-muted">{t(`palette.kinds.${find.kind}`)}</span>
                    <span className="truncate">{find.label}</span>
                  </Item>
                ))}
              </Group>
            </Base.List>
          </Base>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

type GroupProps = { readonly heading: string; readonly isShown: boolean; readonly children: ReactNode }

function Group({ heading, isShown, children }: GroupProps) {
  if (!isShown) return null
  return (
    <Base.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted"
    >
      {children}
    </Base.Group>
  )
}

type ItemProps = {
  readonly onSelect: () => void
  /** What tells it from others of the same text. */
  readonly value?: string
  /** What it is found by beside that. */
  readonly keywords?: string[]
  readonly children: ReactNode
}

function Item({ onSelect, value, keywords, children }: ItemProps) {
  return (
    <Base.Item
      {...(value === undefined ? {} : { value })}
      {...(keywords === undefined ? {} : { keywords })}
      onSelect={onSelect}
      className="flex h-9 cursor-pointer items-center gap-2 rounded px-2 text-sm data-[selected=true]:bg-sunken"
    >
      {children}
    </Base.Item>
  )
}

function useHotkey(toggle: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      toggle()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  })
}
