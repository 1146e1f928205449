// The admin API as one table: what exists, what goes in, what comes out. The server builds its routes from it, the command
// line its calls, and the dashboard its types. `{id}` in a path takes an id or a name.

import { Type, type Static, type TSchema } from 'typebox'
import { ADMIN_ROUTES as ROUTES, type AdminAction, type Route } from '#contract/admin-routes.ts'
import * as audit from '#contract/audit.ts'
import { DemoView } from '#contract/demo.ts'
import { DiscoveryBody, DiscoveryView } from '#contract/discovery.ts'
import * as invites from '#contract/invites.ts'
import * as lan from '#contract/lan.ts'
import * as members from '#contract/members.ts'
import { PauseBody, PauseView } from '#contract/pause.ts'
import { Presets } from '#contract/presets.ts'
import * as card from '#contract/price-card.ts'
import * as offers from '#contract/provider-models.ts'
import { ReceiptView } from '#contract/receipt.ts'
import * as providers from '#contract/providers.ts'
import * as reports from '#contract/reports.ts'
import * as schemas from '#contract/schemas.ts'
import { WaitingView } from '#contract/waiting.ts'

export type Endpoint = Route & {
  readonly query?: TSchema
  readonly body?: TSchema
  readonly response: TSchema
}

const Empty = Type.Object({}, { additionalProperties: false })

export const ADMIN_API = {
  signIn: { ...ROUTES.signIn, body: members.SignIn, response: members.SignedIn },
  showSession: { ...ROUTES.showSession, response: members.SessionView },
  signOut: { ...ROUTES.signOut, query: members.SignOutQuery, response: Empty },
  changePassword: { ...ROUTES.changePassword, body: members.OwnPassword, response: Empty },
  makeTicket: { ...ROUTES.makeTicket, response: members.TicketView },

  listMembers: { ...ROUTES.listMembers, response: Type.Array(members.MemberView) },
  addMember: { ...ROUTES.addMember, body: members.MemberCreate, response: members.MemberView },
  editMember: { ...ROUTES.editMember, body: members.MemberEdit, response: members.MemberView },
  setMemberPassword: { ...ROUTES.setMemberPassword, body: members.MemberPassword, response: members.MemberView },
  removeMember: { ...ROUTES.removeMember, response: Empty },

  listInvites: { ...ROUTES.listInvites, response: Type.Array(invites.InviteView) },
  createInvite: { ...ROUTES.createInvite, body: invites.InviteCreate, response: invites.InviteCard },
  withdrawInvite: { ...ROUTES.withdrawInvite, response: Empty },
  acceptInvite: { ...ROUTES.acceptInvite, body: invites.InviteAccept, response: members.SignedIn },

  listAudit: { ...ROUTES.listAudit, query: audit.AuditQuery, response: audit.AuditList },
  showSettings: { ...ROUTES.showSettings, response: audit.SettingsView },
  status: { ...ROUTES.status, response: schemas.StatusView },
  showLan: { ...ROUTES.showLan, response: lan.LanView },
  setLan: { ...ROUTES.setLan, body: lan.LanChange, response: lan.LanView },
  turnLanOff: { ...ROUTES.turnLanOff, response: lan.LanView },
  showLanCertificate: { ...ROUTES.showLanCertificate, response: lan.LanCertificate },
  pause: { ...ROUTES.pause, body: PauseBody, response: PauseView },
  resume: { ...ROUTES.resume, response: PauseView },
  apply: { ...ROUTES.apply, body: schemas.ApplyBody, response: schemas.ApplyResult },

  listPresets: { ...ROUTES.listPresets, response: Presets },
  listProviders: { ...ROUTES.listProviders, response: Type.Array(providers.ProviderView) },
  addProvider: { ...ROUTES.addProvider, body: providers.ProviderCreate, response: providers.ProviderView },
  setProviderSecret: { ...ROUTES.setProviderSecret, body: providers.ProviderSecret, response: providers.ProviderView },
  testProvider: { ...ROUTES.testProvider, query: providers.ProviderTestQuery, response: providers.ProviderTestResult },
  listProviderModels: { ...ROUTES.listProviderModels, response: offers.ProviderModels },
  addProviderModels: {
    ...ROUTES.addProviderModels,
    body: offers.ProviderModelsAdd,
    response: offers.ProviderModelsAdded,
  },
  editProvider: { ...ROUTES.editProvider, body: providers.ProviderEdit, response: providers.ProviderView },
  removeProvider: { ...ROUTES.removeProvider, response: providers.ProviderRemoved },
  discover: { ...ROUTES.discover, body: DiscoveryBody, response: DiscoveryView },
  addDemo: { ...ROUTES.addDemo, response: DemoView },
  exportSecrets: { ...ROUTES.exportSecrets, body: providers.SecretsExport, response: providers.SecretsExported },
  importSecrets: { ...ROUTES.importSecrets, body: providers.SecretsImport, response: providers.SecretsImported },
  moveSecrets: { ...ROUTES.moveSecrets, response: providers.SecretsMoved },

  listModels: { ...ROUTES.listModels, response: Type.Array(schemas.ModelView) },
  addModel: { ...ROUTES.addModel, body: schemas.ModelCreate, response: schemas.ModelView },
  editModel: { ...ROUTES.editModel, body: schemas.ModelEdit, response: schemas.ModelView },
  priceModel: { ...ROUTES.priceModel, body: schemas.PriceChange, response: schemas.ModelView },
  enableModel: { ...ROUTES.enableModel, response: schemas.ModelView },
  disableModel: { ...ROUTES.disableModel, response: schemas.ModelView },
  removeModel: { ...ROUTES.removeModel, response: Empty },

  priceCard: { ...ROUTES.priceCard, query: card.CardQuery, response: card.CardComparison },
  applyPriceCard: { ...ROUTES.applyPriceCard, body: card.CardApply, response: card.CardApplied },

  listPackages: { ...ROUTES.listPackages, response: Type.Array(schemas.PackageView) },
  addPackage: { ...ROUTES.addPackage, body: schemas.PackageCreate, response: schemas.PackageView },
  editPackage: { ...ROUTES.editPackage, body: schemas.PackageEdit, response: schemas.PackageView },
  removePackage: { ...ROUTES.removePackage, response: Empty },

  listKeys: { ...ROUTES.listKeys, response: Type.Array(schemas.KeyView) },
  createKey: { ...ROUTES.createKey, body: schemas.KeyCreate, response: schemas.KeyCreated },
  showKey: { ...ROUTES.showKey, response: schemas.KeyView },
  suspendKey: { ...ROUTES.suspendKey, response: schemas.KeyView },
  resumeKey: { ...ROUTES.resumeKey, response: schemas.KeyView },
  extendKey: { ...ROUTES.extendKey, body: schemas.KeyExtend, response: schemas.KeyView },
  topUpKey: { ...ROUTES.topUpKey, body: schemas.KeyTopUp, response: schemas.KeyView },
  adjustKey: { ...ROUTES.adjustKey, body: schemas.KeyAdjust, response: schemas.KeyView },
  moveKey: { ...ROUTES.moveKey, body: schemas.KeyMove, response: schemas.KeyView },
  rotateKey: { ...ROUTES.rotateKey, body: schemas.KeyRotate, response: schemas.KeyRotated },
  revokeKey: { ...ROUTES.revokeKey, response: schemas.KeyView },

  usage: { ...ROUTES.usage, query: schemas.UsageQuery, response: schemas.UsageList },
  usageReport: { ...ROUTES.usageReport, query: reports.UsageReportQuery, response: reports.UsageReport },
  overview: { ...ROUTES.overview, response: reports.OverviewView },
  listWaiting: { ...ROUTES.listWaiting, response: WaitingView },
  receipt: { ...ROUTES.receipt, response: ReceiptView },
  listLedger: { ...ROUTES.listLedger, query: reports.LedgerQuery, response: reports.LedgerList },
  verifyLedger: { ...ROUTES.verifyLedger, response: schemas.LedgerReport },
  backUp: { ...ROUTES.backUp, body: schemas.BackupCreate, response: schemas.BackupView },
} as const satisfies Record<AdminAction, Endpoint>

export type AdminApi = typeof ADMIN_API
export type { AdminAction }

type Part<Action extends AdminAction, Name extends 'body' | 'query'> =
  AdminApi[Action] extends Record<Name, TSchema> ? Static<AdminApi[Action][Name]> : undefined

export type RequestBody<Action extends AdminAction> = Part<Action, 'body'>
export type RequestQuery<Action extends AdminAction> = Part<Action, 'query'>
export type ResponseBody<Action extends AdminAction> = Static<AdminApi[Action]['response']>
