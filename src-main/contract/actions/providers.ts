// Providers and what they have.

import { actionsOf, forAdministrators, forThisMachine } from '#contract/actions/action.ts'

/** The provider that is asked for its models does not answer. */
const ASKING_REFUSALS = [502] as const

export const PROVIDERS = actionsOf('Providers', {
  listPresets: forAdministrators('GET /api/presets', 'Lists the presets from which providers are made.', {
    response: 'Presets',
  }),
  listProviders: forAdministrators('GET /api/providers', 'Lists the providers, without their secrets.', {
    response: 'ProviderView[]',
  }),
  addProvider: forAdministrators('POST /api/providers', 'Adds an upstream account.', {
    body: 'ProviderCreate',
    response: 'ProviderView',
    example: { name: 'openai', preset: 'openai', secret: 'sk-...' },
  }),
  setProviderSecret: forAdministrators('PUT /api/providers/{id}/secret', "Replaces a provider's secret.", {
    body: 'ProviderSecret',
    response: 'ProviderView',
    example: { secret: 'sk-...' },
  }),
  listProviderSecrets: forAdministrators(
    'GET /api/providers/{id}/secrets',
    "Lists a provider's secrets by their labels, and how they are.",
    { response: 'ProviderSecretView[]' },
  ),
  addProviderSecret: forAdministrators(
    'POST /api/providers/{id}/secrets',
    'Gives a provider another secret, beside those that it has.',
    {
      body: 'ProviderSecretAdd',
      response: 'ProviderSecretView[]',
      example: { label: 'second', secret: 'sk-...', weight: 2, limits: { credits_per_day: 20 } },
    },
  ),
  editProviderSecret: forAdministrators(
    'PATCH /api/providers/{id}/secrets',
    "Changes one of a provider's secrets: its text, its weight or its limits.",
    {
      body: 'ProviderSecretEdit',
      response: 'ProviderSecretView[]',
      example: { label: 'second', limits: { requests_per_minute: 60 } },
    },
  ),
  removeProviderSecret: forAdministrators(
    'DELETE /api/providers/{id}/secrets',
    "Removes one of a provider's several secrets.",
    { query: 'ProviderSecretQuery', response: 'ProviderRemoved' },
  ),
  testProvider: forAdministrators(
    'POST /api/providers/{id}/test',
    'Asks a provider whether it can be reached, and says what is wrong.',
    { query: 'ProviderTestQuery', response: 'ProviderTestResult' },
  ),
  listProviderModels: forAdministrators('GET /api/providers/{id}/models', 'Lists the models that a provider has.', {
    response: 'ProviderModels',
    refusals: ASKING_REFUSALS,
  }),
  addProviderModels: forAdministrators('POST /api/providers/{id}/models', 'Adds models that a provider has.', {
    body: 'ProviderModelsAdd',
    response: 'ProviderModelsAdded',
    refusals: ASKING_REFUSALS,
    example: { models: ['gpt-5.5'] },
  }),
  editProvider: forAdministrators(
    'PATCH /api/providers/{id}',
    'Changes a provider. At another origin its secret is gone.',
    { body: 'ProviderEdit', response: 'ProviderView', example: { limits: { concurrent_requests: 8 } } },
  ),
  removeProvider: forAdministrators('DELETE /api/providers/{id}', 'Removes a provider and its secret.', {
    response: 'ProviderRemoved',
  }),
  discover: forThisMachine(
    'POST /api/discovery',
    'Looks for model servers on this machine, and adds those that are asked for.',
    { body: 'DiscoveryBody', response: 'DiscoveryView', example: { add: ['ollama'] } },
  ),
})
