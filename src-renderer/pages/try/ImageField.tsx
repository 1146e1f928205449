import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Input } from '#renderer/components/input.tsx'
import type { TryImage } from '#renderer/data/try-request.ts'

const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']
const MAX_BYTES = 4 * 1024 * 1024

type ImageFieldProps = {
  readonly image: TryImage | undefined
  readonly onChange: (image: TryImage | undefined) => void
}

/** An image beside the question. It is read here and sent with the request, and kept nowhere. */
export function ImageField({ image, onChange }: ImageFieldProps) {
  const { t } = useTranslation('try')
  const [isWrong, setIsWrong] = useState(false)
  const choose = async (file: File | undefined) => {
    if (file === undefined) return
    const isFine = TYPES.includes(file.type) && file.size <= MAX_BYTES
    setIsWrong(!isFine)
    onChange(isFine ? { mediaType: file.type, data: await base64Of(file) } : undefined)
  }
  if (image !== undefined) {
    return (
      <p className="flex items-center gap-3 text-sm">
        {t('image.there', { type: image.mediaType })}
        <Button size="small" onClick={() => onChange(undefined)}>
          {t('image.remove')}
        </Button>
      </p>
    )
  }
  return (
    <Field label={t('image.label')} error={isWrong ? t('image.wrong') : undefined}>
      {(control) => (
        <Input
          {...control}
          type="file"
          accept={TYPES.join(',')}
          className="py-1.5"
          onChange={(event) => void choose(event.target.files?.[0])}
        />
      )}
    </Field>
  )
}

async function base64Of(file: File): Promise<string> {
  const reader = new FileReader()
  const read = new Promise<string>((resolve, reject) => {
    reader.addEventListener('load', () => resolve(String(reader.result)))
    reader.addEventListener('error', () => reject(new Error('the file cannot be read')))
  })
  reader.readAsDataURL(file)
  // Behind the head of the address stands the file.
  return (await read).replace(/^[^,]*,/, '')
}
