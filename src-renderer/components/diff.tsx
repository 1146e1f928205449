import { useTranslation } from 'react-i18next'
import { cn } from '#renderer/components/cn.ts'

type DiffProps = {
  readonly file: string
  /** Lines that begin with what becomes of them: `+`, `-`, a space, or `@@`. */
  readonly diff: string
}

/** What changes in a file. The signs stay, so that no colour has to be seen. */
export function Diff({ file, diff }: DiffProps) {
  const { t } = useTranslation('common')
  const lines = diff.replace(/\n$/, '').split('\n')
  return (
    <figure className="rounded-md border border-line bg-sunken">
      <figcaption className="border-b border-line px-3 py-2 font-mono text-xs break-all text-muted">{file}</figcaption>
      {/* What scrolls must be reachable by keyboard. */}
      <pre
        role="region"
        aria-label={t('changesIn', { file })}
        tabIndex={0}
        className="max-h-80 overflow-auto py-2 font-mono text-xs"
      >
        <code className="block min-w-fit">
          {lines.map((line, index) => (
            <span key={index} className={cn('block px-3', toneOf(line))}>
              {line === '' ? ' ' : line}
            </span>
          ))}
        </code>
      </pre>
    </figure>
  )
}

function toneOf(line: string): string {
  if (line.startsWith('+')) return 'bg-accent-soft text-accent'
  if (line.startsWith('-')) return 'bg-red-soft text-red'
  return line.startsWith('@@') ? 'text-muted' : ''
}
