import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { Toast as Base } from 'radix-ui'
import { createContext, use, useCallback, useMemo, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '#renderer/components/button.tsx'

type Message = { readonly id: number; readonly tone: 'done' | 'failed'; readonly text: string }
export type Toaster = {
  /** Says for a few seconds that something worked. */
  readonly done: (text: string) => void
  /** Says what went wrong and what to do; stays longer. */
  readonly failed: (text: string) => void
}

/** More than these would cover the page; the oldest go. */
const MAX_MESSAGES = 4
const SHOWN_MS = { done: 4000, failed: 10_000 } as const

const ToastContext = createContext<Toaster | undefined>(undefined)
let nextId = 1

export function useToast(): Toaster {
  const toaster = use(ToastContext)
  if (toaster === undefined) throw new Error('useToast needs a ToastProvider around it')
  return toaster
}

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation('common')
  const [messages, setMessages] = useState<readonly Message[]>([])
  const show = useCallback((tone: Message['tone'], text: string) => {
    const id = nextId++
    setMessages((before) => [...before, { id, tone, text }].slice(-MAX_MESSAGES))
  }, [])
  const toaster = useMemo<Toaster>(
    () => ({ done: (text) => show('done', text), failed: (text) => show('failed', text) }),
    [show],
  )
  const drop = (id: number) => setMessages((before) => before.filter((message) => message.id !== id))
  return (
    <ToastContext value={toaster}>
      <Base.Provider label={t('notice')}>
        {children}
        {messages.map((message) => (
          <Toast key={message.id} message={message} onClose={() => drop(message.id)} />
        ))}
        <Base.Viewport className="fixed right-0 bottom-16 z-[60] flex w-96 max-w-full flex-col gap-2 p-3 sm:bottom-0" />
      </Base.Provider>
    </ToastContext>
  )
}

function Toast({ message, onClose }: { readonly message: Message; readonly onClose: () => void }) {
  const { t } = useTranslation('common')
  const Shape = message.tone === 'done' ? CircleCheck : CircleAlert
  return (
    <Base.Root
      type={message.tone === 'failed' ? 'foreground' : 'background'}
      duration={SHOWN_MS[message.tone]}
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose()
      }}
      className="flex animate-appear items-start gap-2 rounded-md border border-line bg-raised p-3 shadow-lg"
    >
      <Shape
        aria-hidden
        className={message.tone === 'done' ? 'mt-0.5 size-4 shrink-0 text-accent' : 'mt-0.5 size-4 shrink-0 text-red'}
      />
      <Base.Description className="min-w-0 flex-1 text-sm break-words">{message.text}</Base.Description>
      <Base.Close asChild>
        <IconButton label={t('close')} size="small-icon" className="-m-1">
          <X aria-hidden />
        </IconButton>
      </Base.Close>
    </Base.Root>
  )
}
