import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '#renderer/components/button.tsx'
import type { ControlProps } from '#renderer/components/field.tsx'
import { Input } from '#renderer/components/input.tsx'

type PasswordInputProps = {
  readonly control: ControlProps
  readonly password: string
  readonly onChange: (password: string) => void
  readonly maxLength: number
  readonly words: { readonly show: string; readonly hide: string }
}

/** A new password, which can be looked at while it is typed. */
export function PasswordInput({ control, password, onChange, maxLength, words }: PasswordInputProps) {
  const [isShown, setIsShown] = useState(false)
  return (
    <span className="relative">
      <Input
        {...control}
        type={isShown ? 'text' : 'password'}
        autoComplete="new-password"
        maxLength={maxLength}
        value={password}
        onChange={(event) => onChange(event.target.value)}
        className="pr-10"
      />
      <IconButton
        label={isShown ? words.hide : words.show}
        size="small-icon"
        className="absolute top-1 right-1"
        onClick={() => setIsShown(!isShown)}
      >
        {isShown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
      </IconButton>
    </span>
  )
}
