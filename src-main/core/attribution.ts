// Who a call was made for: with which tool, in which of its sessions, for which project, under which tags. All of it is names that a
// client or an administrator gave; it decides about no charge, and no content is in it.

export type Attribution = {
  /** The id of a tool that is known, the first word of what a client calls itself, or `other`. */
  readonly tool: string | undefined
  readonly project: string | undefined
  /** In the order of the alphabet, each of them once. */
  readonly tags: readonly string[]
  readonly session: string | undefined
}

/** What calls have in common whose session is left out: few of these are told apart. */
export type Party = Omit<Attribution, 'session'>

export const MAX_TAGS = 5
/** The length of a session's id. Longer ones are the mistake of some client. */
export const MAX_SESSION = 1024
/** What is told apart no further: there are too many names, or one that cannot be shown. */
export const OTHER = 'other'

/** Names of projects and tags: what can be typed into a filter, in small letters, and holds no comma. */
const NAME = /^[a-z0-9][a-z0-9._/:@+-]{0,63}$/
const SESSION = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/

/** A name as it is kept; undefined for one that cannot be. */
export function cleanName(text: string): string | undefined {
  const name = text.trim().toLowerCase()
  return NAME.test(name) ? name : undefined
}

/** The tags of a list with commas between them, without those that cannot be kept. */
export function cleanTags(texts: readonly string[]): string[] {
  const names = texts.map(cleanName).filter((name) => name !== undefined)
  return [...new Set(names)].slice(0, MAX_TAGS).toSorted()
}

/** Whether the id of a session is kept as it is; of others a hash is. */
export function isPlainSession(id: string): boolean {
  return SESSION.test(id)
}

/** Tags as one text, in which each stands between commas; empty without any. */
export function tagsText(tags: readonly string[]): string {
  return tags.length === 0 ? '' : `,${tags.join()},`
}

export function tagsOfText(text: string): string[] {
  return text === '' ? [] : text.slice(1, -1).split(',')
}
