import { Copy, Download } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { Dialog } from '#renderer/components/dialog.tsx'
import { drawPicture } from '#renderer/components/draw-picture.ts'
import { saveBlob } from '#renderer/components/save-text.ts'
import type { Picture } from '#renderer/data/picture.ts'

type PictureDialogProps = {
  readonly picture: Picture
  /** Without its ending. */
  readonly fileName: string
  readonly onClose: () => void
  /** What chooses another picture. */
  readonly children?: ReactNode
}

/** Shows the picture as it will be shared, to copy or to save. It is made here and sent nowhere. */
export function PictureDialog({ picture, fileName, onClose, children }: PictureDialogProps) {
  const { t } = useTranslation('common')
  const canvas = useRef<HTMLCanvasElement>(null)
  const [said, setSaid] = useState('')
  useEffect(() => {
    const draw = () => canvas.current !== null && drawPicture(canvas.current, picture)
    draw()
    // A typeface that is still on its way would leave the picture in another one.
    void document.fonts.ready.then(draw)
  }, [picture])
  const copy = () => {
    const image = pngOf(canvas.current)
    navigator.clipboard.write([new ClipboardItem({ 'image/png': image })]).then(
      () => setSaid(t('copied')),
      () => setSaid(t('copyFailed')),
    )
  }
  const save = () => void pngOf(canvas.current).then((image) => saveBlob(`${fileName}.png`, image))
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('picture.title')}
      description={t('picture.description')}
      className="max-w-2xl"
      footer={
        <>
          <span role="status" className="mr-auto text-sm text-muted">
            {said}
          </span>
          <Button onClick={copy}>
            <Copy aria-hidden />
            {t('picture.copy')}
          </Button>
          <Button look="primary" onClick={save}>
            <Download aria-hidden />
            {t('picture.save')}
          </Button>
        </>
      }
    >
      {children}
      <canvas
        ref={canvas}
        role="img"
        aria-label={textOf(picture)}
        className="h-auto w-full rounded-md border border-line"
      />
    </Dialog>
  )
}

async function pngOf(canvas: HTMLCanvasElement | null): Promise<Blob> {
  const image = await new Promise<Blob | null>((resolve) => {
    if (canvas === null) resolve(null)
    else canvas.toBlob(resolve, 'image/png')
  })
  if (image === null) throw new Error('The browser has no memory for the picture.')
  return image
}

/** What stands in the picture, for those who do not see it. */
function textOf({ title, subtitle, amount, facts, month }: Picture): string {
  const days = month?.days.filter(({ text }) => text !== '').map(({ number, text }) => `${number}: ${text}`) ?? []
  return [title, subtitle, amount, ...facts.map(({ name, value }) => `${name}: ${value}`), ...days].join('. ')
}
