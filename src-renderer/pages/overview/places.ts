import { PAGES } from '#renderer/app/page-list.ts'

type AttentionPlace = {
  readonly to: (typeof PAGES)[number]['path']
  readonly search: { readonly open?: string }
}

/** Pages on which a row is opened by its name. */
const OPENING = ['keys', 'packages', 'models', 'providers', 'members']

/** Where a page by the server's word for it is; undefined for a page that this dashboard does not have. */
export function placeOf(page: string | null, subject: string | null): AttentionPlace | undefined {
  const found = PAGES.find(({ name }) => name === page)
  if (found === undefined) return undefined
  return { to: found.path, search: OPENING.includes(found.name) && subject !== null ? { open: subject } : {} }
}
