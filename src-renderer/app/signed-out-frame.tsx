import type { ReactNode } from 'react'
import { LanguageChoice } from '#renderer/app/language-choice.tsx'
import { Mark } from '#renderer/app/navigation.tsx'

/** What surrounds the pages of those who are not signed in: the shell is for the others. */
export function SignedOutFrame({ children }: { readonly children: ReactNode }) {
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center gap-4 p-4">
      <h1 className="flex items-center justify-center gap-2 text-lg font-semibold">
        <Mark />
        Farebox
      </h1>
      {children}
      <LanguageChoice className="w-auto self-center" />
    </main>
  )
}
