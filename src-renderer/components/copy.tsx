import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '#renderer/components/button.tsx'
import { cn } from '#renderer/components/cn.ts'

const SHOWN_MS = 1500

type CopyButtonProps = {
  readonly text: string
  /** What is copied: `Copy the address`. */
  readonly label: string
  /** Shows the label beside the icon. */
  readonly hasWord?: boolean
  readonly className?: string
}

export function CopyButton({ text, label, hasWord = false, className }: CopyButtonProps) {
  const { t } = useTranslation('common')
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return undefined
    const timer = setTimeout(() => setState('idle'), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    )
  }
  const Shape = state === 'copied' ? Check : Copy
  const said = state === 'idle' ? '' : t(state === 'copied' ? 'copied' : 'copyFailed')
  return (
    <>
      {hasWord ? (
        <Button onClick={copy} {...(className === undefined ? {} : { className })}>
          <Shape aria-hidden />
          {said === '' ? label : said}
        </Button>
      ) : (
        <IconButton label={label} size="small-icon" onClick={copy} {...(className === undefined ? {} : { className })}>
          <Shape aria-hidden />
        </IconButton>
      )}
      <span role="status" className="sr-only">
        {said}
      </span>
    </>
  )
}

type CopyFieldProps = { readonly label: string; readonly text: string; readonly className?: string }

/** A value to take away, such as an address or a new key, with its button. */
export function CopyField({ label, text, className }: CopyFieldProps) {
  const { t } = useTranslation('common')
  return (
    <div
      role="group"
      aria-label={label}
      className={cn('flex items-center gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-3', className)}
    >
      <code className="min-w-0 flex-1 font-mono text-xs break-all select-all">{text}</code>
      <CopyButton text={text} label={t('copyThis', { what: label })} />
    </div>
  )
}

type CodeSnippetProps = { readonly label: string; readonly code: string; readonly className?: string }

/** Lines for a terminal or a file, with a button that copies them. */
export function CodeSnippet({ label, code, className }: CodeSnippetProps) {
  const { t } = useTranslation('common')
  return (
    <figure className={cn('rounded-md border border-line bg-sunken', className)}>
      <figcaption className="flex items-center justify-between border-b border-line py-1 pr-1 pl-3 text-xs text-muted">
        {label}
        <CopyButton text={code} label={t('copyThis', { what: label })} />
      </figcaption>
      {/* What scrolls sideways must be reachable by keyboard. */}
      <pre role="region" aria-label={label} tabIndex={0} className="overflow-x-auto p-3 font-mono text-xs">
        <code>{code}</code>
      </pre>
    </figure>
  )
}
