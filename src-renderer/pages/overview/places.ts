import { PAGES } from '#renderer/app/page-list.ts'

type AttentionPlace = {
  readonly to: (typeof PAGES)[number]['path']
  readonly search: { readonly open?: string; readonly tool?: string }
}

/** Pages on which a row is opened by its name. */
const OPENING = ['keys', 'packages', 'models', 'providers', 'members']

/** Where a page by the server's word for it is; undefined for a page that this dashboard does not have. */
export function placeOf(page: string | null, subject: string | null): AttentionPlace | undefined {
  const found = PAGES.find(({ name }) => name === page)
  if (found === undefined) return undefined
  if (subject === null) return { to: found.path, search: {} }
  // What is said of usage is said of a tool.
  if (found.name === 'usage') return { to: found.path, search: { tool: subject } }
  return { to: found.path, search: OPENING.includes(found.name) ? { open: subject } : {} }
}
