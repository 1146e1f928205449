// Which models a tool is told of: a large one for its work, a small one for the rest, and all others that its key may use.

import type { ToolModel } from '#connect/expand.ts'
import { Refused } from '#connect/format.ts'
import type { ModelView, PackageView } from '#contract/schemas.ts'

/** Lists longer than this are of no use in a menu, and each entry is an edit of its own. */
const MAX_MODELS = 40

export type Choice = { readonly model: ToolModel; readonly small: ToolModel; readonly models: readonly ToolModel[] }
export type WantedModels = { readonly model?: string | undefined; readonly small?: string | undefined }

/** The dearest model is taken for the most able and the cheapest for the small one, unless somebody says which. */
export function chooseModels(
  models: readonly ModelView[],
  { models: allowed }: Pick<PackageView, 'models'>,
  wanted: WantedModels,
): Choice {
  const usable = models.filter(
    ({ id, kind, enabled }) => kind === 'chat' && enabled && (allowed === 'all' || allowed.includes(id)),
  )
  const byPrice = usable.toSorted((a, b) => priceOf(b) - priceOf(a) || b.context_window - a.context_window)
  const [dearest, cheapest] = [byPrice[0], byPrice.at(-1)]
  if (dearest === undefined || cheapest === undefined) {
    throw new Refused(
      'missing',
      "There is no model that the package allows. Add one with 'farebox model add', or choose another with --package.",
    )
  }
  const model = wanted.model === undefined ? dearest : named(usable, wanted.model)
  const small = wanted.small !== undefined ? named(usable, wanted.small) : wanted.model !== undefined ? model : cheapest
  const listed = [...new Set([model, small, ...byPrice])].slice(0, MAX_MODELS)
  return { model: toolModel(model), small: toolModel(small), models: listed.map(toolModel) }
}

function priceOf({ price }: ModelView): number {
  return price === null ? 0 : price.input + price.output
}

function named(models: readonly ModelView[], id: string): ModelView {
  const found = models.find((model) => model.id === id)
  if (found === undefined) throw new Refused('missing', `There is no model '${id}' that the package allows.`)
  return found
}

function toolModel({
  id,
  display_name: name,
  context_window: context,
  max_output_tokens: output,
}: ModelView): ToolModel {
  return { id, name, context, output }
}
