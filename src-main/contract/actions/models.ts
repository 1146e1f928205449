// Models.

import { actionsOf, forAdministrators, forHolders } from '#contract/actions/action.ts'

export const MODELS = actionsOf('Models', {
  listModels: forHolders('GET /api/models', 'Lists the models.', { response: 'ModelView[]' }),
  codexModels: forAdministrators(
    'GET /api/models/codex',
    "Gives the enabled models as a file for Codex's setting `model_catalog_json`.",
    { response: 'CodexModels' },
  ),
  addModel: forAdministrators('POST /api/models', 'Adds a model with its price and targets.', {
    body: 'ModelCreate',
    response: 'ModelView',
    example: {
      id: 'gpt-5.5',
      context_window: 272000,
      max_output_tokens: 128000,
      price: { input: 1.25, output: 10 },
      targets: [{ provider: 'openai', model: 'gpt-5.5' }],
    },
  }),
  editModel: forAdministrators('PATCH /api/models/{id}', 'Changes a model; targets are replaced as a whole.', {
    body: 'ModelEdit',
    response: 'ModelView',
    example: { targets: [{ provider: 'openai', model: 'gpt-5.5' }] },
  }),
  priceModel: forAdministrators(
    'PUT /api/models/{id}/price',
    'Sets the price of a model, in credits per million tokens.',
    { body: 'PriceChange', response: 'ModelView', example: { input: 1.25, output: 10 } },
  ),
  enableModel: forAdministrators('POST /api/models/{id}/enable', 'Lets a model be called.', { response: 'ModelView' }),
  disableModel: forAdministrators('POST /api/models/{id}/disable', 'Keeps a model from being called and listed.', {
    response: 'ModelView',
  }),
  removeModel: forAdministrators('DELETE /api/models/{id}', 'Removes a model.'),
})
