import { textIn } from '#renderer/data/search.ts'

/** What the address of this page may say behind the question mark. */
export type ToolsSearch = {
  /** The tool that the drawer shows. */
  readonly open?: string
}

export function parseSearch(raw: Readonly<Record<string, unknown>>): ToolsSearch {
  return textIn(raw, 'open')
}
