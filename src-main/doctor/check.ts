// What a check is, and what it finds.

import type { Workshop } from '#connect/tools.ts'
import type { Picture, ToolPicture } from '#doctor/picture.ts'

/** What is wrong, as a sentence, and what to do about it. Neither has a secret in it. */
export type Found = {
  readonly message: string
  readonly fix: string
  /** Only where it is safe: it takes back or writes again what Farebox itself wrote. Resolves with what it did. */
  readonly repair?: (workshop: Workshop) => Promise<string>
}

export type Finding = Found | readonly Found[] | undefined

/** `id` is for programs, and never changes. */
export type MachineCheck = { readonly id: string; readonly find: (picture: Picture) => Finding }
export type ToolCheck = { readonly id: string; readonly find: (tool: ToolPicture, picture: Picture) => Finding }
