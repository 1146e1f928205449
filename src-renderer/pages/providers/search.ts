import { PROVIDER_FILTERS, type ProviderFilter } from '#renderer/data/provider-list.ts'
import { choiceIn, textIn } from '#renderer/data/search.ts'

/** What the address of this page may say behind the question mark. */
export type ProvidersSearch = ProviderFilter & {
  /** The provider that the drawer shows, by its id or name. */
  readonly open?: string
}

/** What is undefined is taken out of the address. */
export type ProvidersSearchChange = { readonly [Name in keyof ProvidersSearch]?: ProvidersSearch[Name] | undefined }

export function parseSearch(raw: Readonly<Record<string, unknown>>): ProvidersSearch {
  return { ...textIn(raw, 'open'), ...textIn(raw, 'q'), ...choiceIn(raw, 'state', PROVIDER_FILTERS) }
}
