import { Dialog } from 'radix-ui'
import { lazy, Suspense, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { PaletteListProps } from '#renderer/app/palette-list.tsx'
import { Loading } from '#renderer/components/states.tsx'
import { again } from '#renderer/data/again.ts'

type PaletteProps = Omit<PaletteListProps, 'onClose'> & {
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
}

const list = () => again(() => import('#renderer/app/palette-list.tsx'))
const PaletteList = lazy(async () => ({ default: (await list()).PaletteList }))

/** Goes to a page or runs an action by name; Ctrl K or Cmd K opens it. */
export function Palette({ isOpen, onOpenChange, ...listed }: PaletteProps) {
  const { t } = useTranslation('common')
  useHotkey(() => onOpenChange(!isOpen))
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-shade data-[state=open]:animate-appear" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-24px)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-raised shadow-xl data-[state=open]:animate-appear"
        >
          <Dialog.Title className="sr-only">{t('palette.title')}</Dialog.Title>
          <Suspense fallback={<Loading lines={6} className="p-4" />}>
            <PaletteList {...listed} onClose={() => onOpenChange(false)} />
          </Suspense>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function useHotkey(toggle: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      // It is there when the second key is pressed, and takes what is typed next.
      if (event.key === 'Control' || event.key === 'Meta') void list().catch(() => undefined)
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      toggle()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  })
}
