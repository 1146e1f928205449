// The admin API as one table: what exists, what goes in, what comes out. The server builds its routes from it, the command
// line its calls, and the dashboard its types. `{id}` in a path takes an id or a name.

import { Type, type Static, type TSchema } from 'typebox'
import { DiscoveryBody, DiscoveryView } from '#contract/discovery.ts'
import { Presets } from '#contract/presets.ts'
import * as card from '#contract/price-card.ts'
import * as offers from '#contract/provider-models.ts'
import { ReceiptView } from '#contract/receipt.ts'
import * as providers from '#contract/providers.ts'
import * as schemas from '#contract/schemas.ts'

export type Endpoint = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: TSchema
  readonly body?: TSchema
  readonly response: TSchema
}

const Empty = Type.Object({}, { additionalProperties: false })

export const ADMIN_API = {
  status: { method: 'GET', path: '/api/status', response: schemas.StatusView },
  apply: { method: 'POST', path: '/api/apply', body: schemas.ApplyBody, response: schemas.ApplyResult },

  listPresets: { method: 'GET', path: '/api/presets', response: Presets },
  listProviders: { method: 'GET', path: '/api/providers', response: Type.Array(providers.ProviderView) },
  addProvider: {
    method: 'POST',
    path: '/api/providers',
    body: providers.ProviderCreate,
    response: providers.ProviderView,
  },
  setProviderSecret: {
    method: 'PUT',
    path: '/api/providers/{id}/secret',
    body: providers.ProviderSecret,
    response: providers.ProviderView,
  },
  testProvider: {
    method: 'POST',
    path: '/api/providers/{id}/test',
    query: providers.ProviderTestQuery,
    response: providers.ProviderTestResult,
  },
  listProviderModels: { method: 'GET', path: '/api/providers/{id}/models', response: offers.ProviderModels },
  addProviderModels: {
    method: 'POST',
    path: '/api/providers/{id}/models',
    body: offers.ProviderModelsAdd,
    response: offers.ProviderModelsAdded,
  },
  removeProvider: { method: 'DELETE', path: '/api/providers/{id}', response: providers.ProviderRemoved },
  discover: { method: 'POST', path: '/api/discovery', body: DiscoveryBody, response: DiscoveryView },
  moveSecrets: { method: 'POST', path: '/api/secrets/move', response: providers.SecretsMoved },

  listModels: { method: 'GET', path: '/api/models', response: Type.Array(schemas.ModelView) },
  addModel: { method: 'POST', path: '/api/models', body: schemas.ModelCreate, response: schemas.ModelView },
  priceModel: {
    method: 'PUT',
    path: '/api/models/{id}/price',
    body: schemas.PriceChange,
    response: schemas.ModelView,
  },
  enableModel: { method: 'POST', path: '/api/models/{id}/enable', response: schemas.ModelView },
  disableModel: { method: 'POST', path: '/api/models/{id}/disable', response: schemas.ModelView },
  removeModel: { method: 'DELETE', path: '/api/models/{id}', response: Empty },

  priceCard: { method: 'GET', path: '/api/price-card', query: card.CardQuery, response: card.CardComparison },
  applyPriceCard: { method: 'POST', path: '/api/price-card', body: card.CardApply, response: card.CardApplied },

  listPackages: { method: 'GET', path: '/api/packages', response: Type.Array(schemas.PackageView) },
  addPackage: { method: 'POST', path: '/api/packages', body: schemas.PackageCreate, response: schemas.PackageView },
  editPackage: {
    method: 'PATCH',
    path: '/api/packages/{id}',
    body: schemas.PackageEdit,
    response: schemas.PackageView,
  },
  removePackage: { method: 'DELETE', path: '/api/packages/{id}', response: Empty },

  listKeys: { method: 'GET', path: '/api/keys', response: Type.Array(schemas.KeyView) },
  createKey: { method: 'POST', path: '/api/keys', body: schemas.KeyCreate, response: schemas.KeyCreated },
  showKey: { method: 'GET', path: '/api/keys/{id}', response: schemas.KeyView },
  suspendKey: { method: 'POST', path: '/api/keys/{id}/suspend', response: schemas.KeyView },
  resumeKey: { method: 'POST', path: '/api/keys/{id}/resume', response: schemas.KeyView },
  extendKey: { method: 'POST', path: '/api/keys/{id}/extend', body: schemas.KeyExtend, response: schemas.KeyView },
  topUpKey: { method: 'POST', path: '/api/keys/{id}/top-up', body: schemas.KeyTopUp, response: schemas.KeyView },
  adjustKey: { method: 'POST', path: '/api/keys/{id}/adjust', body: schemas.KeyAdjust, response: schemas.KeyView },
  moveKey: { method: 'POST', path: '/api/keys/{id}/move', body: schemas.KeyMove, response: schemas.KeyView },
  revokeKey: { method: 'POST', path: '/api/keys/{id}/revoke', response: schemas.KeyView },

  usage: { method: 'GET', path: '/api/usage', query: schemas.UsageQuery, response: schemas.UsageList },
  receipt: { method: 'GET', path: '/api/usage/{id}', response: ReceiptView },
  verifyLedger: { method: 'GET', path: '/api/ledger/verify', response: schemas.LedgerReport },
  backUp: { method: 'POST', path: '/api/backup', body: schemas.BackupCreate, response: schemas.BackupView },
} as const satisfies Record<string, Endpoint>

export type AdminApi = typeof ADMIN_API
export type AdminAction = keyof AdminApi

type Part<Action extends AdminAction, Name extends 'body' | 'query'> =
  AdminApi[Action] extends Record<Name, TSchema> ? Static<AdminApi[Action][Name]> : undefined

export type RequestBody<Action extends AdminAction> = Part<Action, 'body'>
export type RequestQuery<Action extends AdminAction> = Part<Action, 'query'>
export type ResponseBody<Action extends AdminAction> = Static<AdminApi[Action]['response']>
