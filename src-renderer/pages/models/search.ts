import { MODEL_KINDS } from '#contract/dialects.ts'
import { MODEL_STATES, type ModelFilter } from '#renderer/data/model-list.ts'
import { choiceIn, textIn } from '#renderer/data/search.ts'

/** What the address of this page may say behind the question mark. */
export type ModelsSearch = ModelFilter & {
  /** The model that the drawer shows. */
  readonly open?: string
}

/** What is undefined is taken out of the address. */
export type ModelsSearchChange = { readonly [Name in keyof ModelsSearch]?: ModelsSearch[Name] | undefined }

export function parseSearch(raw: Readonly<Record<string, unknown>>): ModelsSearch {
  return {
    ...textIn(raw, 'open'),
    ...textIn(raw, 'q'),
    ...choiceIn(raw, 'state', MODEL_STATES),
    ...choiceIn(raw, 'kind', MODEL_KINDS),
    ...textIn(raw, 'provider'),
  }
}
