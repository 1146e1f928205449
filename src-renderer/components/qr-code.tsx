import { useMemo } from 'react'
import { cn } from '#renderer/components/cn.ts'
import { qrPath } from '#renderer/data/qr.ts'

type QrCodeProps = { readonly content: string; readonly label: string; readonly className?: string }

/** Black on white in every theme: many cameras read nothing else. */
export function QrCode({ content, label, className }: QrCodeProps) {
  const { size, path } = useMemo(() => qrPath(content), [content])
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className={cn('rounded-md', className)}
    >
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  )
}
