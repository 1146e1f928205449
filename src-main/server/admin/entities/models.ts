// Models. Members and holders of a key see those that they may call.

import { addModel, editModel, enableModel, priceModel, removeModel } from '#catalog/models.ts'
import { modelsFor } from '#catalog/own.ts'
import { codexCatalogue } from '#dialect/dialects.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import { fields, type AuditRules } from '#server/admin/audit-details.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'

export const MODEL_AUDIT: AuditRules = {
  kept: fields(
    'id display_name kind context_window max_output_tokens enabled',
    'targets provider model priority weight',
    'price input output cache_read cache_write confirm_jump',
  ),
  subject: (catalog, id) => catalog.model(id)?.id,
}

export function modelHandlers({ context, inTurn }: EntityDeps): HandlersOf<'models'> {
  const { catalog } = context
  return {
    listModels: ({ viewer }) => modelsFor(catalog, viewer),
    codexModels: () => codexCatalogue(catalog.models.filter(({ isEnabled }) => isEnabled)),
    addModel: ({ body }) => inTurn(() => addModel(context, body)),
    editModel: ({ id, body }) => inTurn(() => editModel(context, id, body)),
    priceModel: ({ id, body }) => inTurn(() => priceModel(context, id, body)),
    enableModel: ({ id }) => inTurn(() => enableModel(context, id, true)),
    disableModel: ({ id }) => inTurn(() => enableModel(context, id, false)),
    removeModel: ({ id }) => inTurn(() => removeModel(context, id)),
  }
}
