// Webhooks and mailboxes. Where they are is judged like the address of a provider; their secrets are where the secrets of providers are.

import type { ReceiverStanding } from '#alert/deliveries.ts'
import { iso, isoOrNull } from '#catalog/dates.ts'
import { orRefusal } from '#catalog/secrets.ts'
import type { MailboxCreate, MailboxView, WebhookCreate, WebhookCreated, WebhookView } from '#contract/alerts.ts'
import { baseUrlProblem, readUrl } from '#core/address.ts'
import { isMailbox, secretOf, type Delivery, type Mailbox, type Receiver } from '#core/delivery.ts'
import { readMailServer } from '#core/mail-server.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import type { AdminInput, HandlersOf } from '#server/admin/handlers.ts'

/** More than these are no list that somebody looks after. */
const MAX_RECEIVERS = 20

type Kind = 'webhook' | 'mailbox'
type Action =
  | 'listWebhooks'
  | 'addWebhook'
  | 'removeWebhook'
  | 'testWebhook'
  | 'listMailboxes'
  | 'addMailbox'
  | 'removeMailbox'
  | 'testMailbox'

export function receiverHandlers(deps: EntityDeps): Pick<HandlersOf<'alerts'>, Action> {
  const { alerting, inTurn } = deps
  const { deliveries } = alerting
  return {
    listWebhooks: () => deliveries.standings().flatMap((standing) => webhookView(standing) ?? []),
    addWebhook: ({ body }) => inTurn(() => addWebhook(deps, body)),
    removeWebhook: (input) => inTurn(() => remove(deps, 'webhook', input)),
    testWebhook: (input) => test(deps, 'webhook', input),
    listMailboxes: () => deliveries.standings().flatMap((standing) => mailboxView(standing) ?? []),
    addMailbox: ({ body }) => inTurn(() => addMailbox(deps, body)),
    removeMailbox: (input) => inTurn(() => remove(deps, 'mailbox', input)),
    testMailbox: (input) => test(deps, 'mailbox', input),
  }
}

async function addWebhook(deps: EntityDeps, wish: WebhookCreate): Promise<WebhookCreated | Refusal> {
  const { name, url: text, network = 'public' } = wish
  const url = readUrl(text)
  const problem = typeof url === 'string' ? url : baseUrlProblem(url, network)
  if (problem !== undefined || typeof url === 'string') return wrongUrl(String(problem))
  const webhook = { ...begun(deps, name), url: url.href, network }
  const secret = deps.alerting.newSecret()
  const refused = await add(deps, webhook, secret)
  return refused ?? { ...commonView(fresh(webhook)), secret }
}

async function addMailbox(deps: EntityDeps, wish: MailboxCreate): Promise<MailboxView | Refusal> {
  const { name, url: text, from, to, user, password, network = 'public', plain: isPlain = false } = wish
  const server = readMailServer(text)
  if (typeof server === 'string') return wrongUrl(server)
  const problem = baseUrlProblem(server.place, network)
  if (problem !== undefined) return wrongUrl(problem)
  if (isPlain && (server.isEncryptedFromStart || network !== 'local')) {
    return refuse('invalid_request', "'plain' takes smtp:// and 'network: local'.", { param: 'plain' })
  }
  if ((user === undefined) !== (password === undefined)) {
    return refuse('invalid_request', "Give 'user' and 'password', or none of them.", { param: 'user' })
  }
  const mailbox = { ...begun(deps, name), url: server.url, network, mail: { from, to, user, isPlain } }
  const refused = await add(deps, mailbox, password)
  return refused ?? viewOfMailbox(fresh(mailbox), mailbox)
}

function begun({ context }: EntityDeps, name: string): Pick<Receiver, 'id' | 'name' | 'createdAtMs'> {
  return { id: context.newId(), name, createdAtMs: context.nowMs() }
}

/** Writes a receiver with its secret: both or none. */
async function add(
  { context, alerting }: EntityDeps,
  receiver: Receiver,
  secret: string | undefined,
): Promise<Refusal | undefined> {
  const { deliveries, write } = alerting
  const known = deliveries.standings()
  if (known.some(({ receiver: { name } }) => name === receiver.name))
    return refuse('conflict', `There is a webhook or mailbox '${receiver.name}' already.`)
  if (known.length >= MAX_RECEIVERS)
    return refuse('conflict', `There are ${MAX_RECEIVERS} webhooks and mailboxes, and more are not kept.`)
  const reference = secretOf(receiver)
  if (reference !== undefined && secret !== undefined) {
    const refused = await orRefusal(() => context.secrets.set(reference, secret))
    if (refused !== undefined) return refused
  }
  try {
    await write({ type: 'receiver', receiver })
  } catch (error) {
    if (reference !== undefined) await context.secrets.delete(reference).catch(() => undefined)
    throw error
  }
  deliveries.add(receiver)
  return undefined
}

type Named = Pick<AdminInput<Action>, 'id' | 'nameSubject'>

async function remove({ context, alerting }: EntityDeps, kind: Kind, { id: name, nameSubject }: Named) {
  const receiver = find(alerting, kind, name)
  if (receiver === undefined) return none(kind, name)
  nameSubject(receiver.name)
  const refused = await orRefusal(() => context.secrets.intendToForget([receiver.id]))
  if (refused !== undefined) return refused
  await alerting.write({ type: 'no-receiver', id: receiver.id })
  alerting.deliveries.remove(receiver.id)
  await context.secrets.forget()
  return {}
}

async function test({ alerting }: EntityDeps, kind: Kind, { id: name, nameSubject }: Named) {
  const receiver = find(alerting, kind, name)
  if (receiver === undefined) return none(kind, name)
  nameSubject(receiver.name)
  const { status, problem } = await alerting.deliveries.test(receiver, alerting.testBody())
  return { delivered: problem === undefined, status: status ?? null, problem: problem ?? null }
}

function find({ deliveries }: EntityDeps['alerting'], kind: Kind, name: string): Receiver | undefined {
  const receiver = deliveries.find(name)
  return receiver !== undefined && isMailbox(receiver) === (kind === 'mailbox') ? receiver : undefined
}

function none(kind: Kind, name: string): Refusal {
  return refuse('not_found', `There is no ${kind} '${name}'.`)
}

function wrongUrl(says: string): Refusal {
  return refuse('invalid_request', `'url' ${says}.`, { param: 'url' })
}

function fresh(receiver: Receiver): ReceiverStanding {
  return { receiver, waiting: 0, nextAtMs: undefined, last: undefined }
}

function webhookView(standing: ReceiverStanding): WebhookView | undefined {
  return isMailbox(standing.receiver) ? undefined : commonView(standing)
}

function mailboxView(standing: ReceiverStanding): MailboxView | undefined {
  const { receiver } = standing
  return isMailbox(receiver) ? viewOfMailbox(standing, receiver) : undefined
}

function viewOfMailbox(standing: ReceiverStanding, { mail: { from, to, user, isPlain } }: Mailbox): MailboxView {
  return { ...commonView(standing), from, to, user: user ?? null, plain: isPlain }
}

function commonView({ receiver, waiting, nextAtMs, last }: ReceiverStanding): WebhookView {
  const { id, name, url, network, createdAtMs } = receiver
  return {
    id,
    name,
    url,
    network,
    created_at: iso(createdAtMs),
    waiting,
    next_attempt_at: isoOrNull(nextAtMs),
    last: last === undefined ? null : lastView(last),
  }
}

function lastView({ createdAtMs, state, attempts, status, problem }: Delivery): NonNullable<WebhookView['last']> {
  return { created_at: iso(createdAtMs), state, attempts, status: status ?? null, problem: problem ?? null }
}
