// What stands in the palette. It is code of its own, which is fetched when the palette is first opened.

import { useNavigate } from '@tanstack/react-router'
import { Command as Base } from 'cmdk'
import { Search } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useCommandList } from '#renderer/app/commands.tsx'
import type { Page } from '#renderer/app/page-list.ts'
import { useFinds, type Find } from '#renderer/app/use-finds.ts'

export type PaletteListProps = {
  readonly pages: readonly Page[]
  readonly extra: readonly { readonly id: string; readonly label: string; readonly run: () => void }[]
  readonly onClose: () => void
}

export function PaletteList({ pages, extra, onClose }: PaletteListProps) {
  const { t } = useTranslation('common')
  const navigate = useNavigate()
  const commands = useCommandList()
  const [typed, setTyped] = useState('')
  const finds = useFinds(typed)
  const choose = (run: () => void) => {
    onClose()
    run()
  }
  return (
    <Base label={t('palette.title')} loop>
      <div className="flex items-center gap-2 border-b border-line px-3">
        <Search aria-hidden className="size-4 shrink-0 text-muted" />
        <Base.Input
          autoFocus
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
        <Found typed={typed} finds={finds} onChoose={choose} />
      </Base.List>
    </Base>
  )
}

type FoundProps = {
  readonly typed: string
  readonly finds: readonly Find[]
  readonly onChoose: (run: () => void) => void
}

/** Things that are found by what is typed, so that none of them is sorted out again. */
function Found({ typed, finds, onChoose }: FoundProps) {
  const { t } = useTranslation('common')
  return (
    <Group heading={t('palette.found')} isShown={finds.length > 0}>
      {finds.map((find) => (
        <Item
          key={`${find.kind} ${find.id}`}
          value={`${find.kind} ${find.id}`}
          keywords={[typed]}
          onSelect={() => onChoose(find.run)}
        >
          <span className="w-20 shrink-0 text-xs text-muted">{t(`palette.kinds.${find.kind}`)}</span>
          <span className="truncate">{find.label}</span>
        </Item>
      ))}
    </Group>
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
