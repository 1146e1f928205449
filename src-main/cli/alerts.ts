// farebox alerts, webhook and mailbox: which budgets reached a threshold, at which thresholds somebody is told, and who.

import { UsageError } from '#cli/errors.ts'
import { text, toggle } from '#cli/flags.ts'
import { printable, time, view } from '#cli/output.ts'
import { listVerb, plainVerb } from '#cli/plain-verbs.ts'
import { requestBody } from '#cli/request.ts'
import { secretFromOne } from '#cli/secret-source.ts'
import { verb } from '#cli/verb.ts'
import type { AlertView, WebhookView } from '#contract/alerts.ts'

const list = listVerb({
  name: 'alerts',
  summary: 'lists the thresholds that budgets reached, and bills with unexplained differences',
  action: 'listAlerts',
  columns: {
    TIME: (alert) => time(alert.at),
    SCOPE: (alert) => alert.scope,
    NAME: (alert) => alert.name,
    REACHED: reachedText,
    USED: (alert) => alert.used_credits,
    OF: (alert) => alert.total_credits,
    RESETS: (alert) => time(alert.next_reset_at),
  },
  whenEmpty: 'No budget has reached a threshold yet.',
})

/** Of a bill nothing is reached: its day has something that nothing explains. */
function reachedText({ scope, threshold, used_credits: unexplained, cycle_started_at: startedAt }: AlertView): string {
  if (scope !== 'bill') return `${threshold} %`
  const what = unexplained === 0 ? 'tokens' : `${unexplained} USD`
  return `${what} unexplained on ${startedAt.slice(0, 10)}`
}

const thresholds = listVerb({
  name: 'alerts thresholds',
  summary: 'lists at which part of their credits somebody is told',
  action: 'listThresholds',
  columns: {
    SCOPE: (rule) => rule.scope,
    NAME: (rule) => rule.name ?? 'all others',
    THRESHOLDS: (rule) => percents(rule.thresholds),
    DEFAULT: (rule) => (rule.is_default ? 'yes' : 'no'),
  },
  whenEmpty: 'There are no thresholds.',
})

const set = verb({
  name: 'alerts set',
  usage: '--scope key|package|member|project|tool|provider [--name N] --at 50,80|none|default',
  summary: 'sets at which percent of their credits somebody is told',
  flags: { scope: text, name: text, at: text },
  async run(client, { flags: { scope, name, at } }) {
    const body = requestBody('setThresholds', {
      scope,
      ...(name === undefined ? {} : { name }),
      thresholds: thresholdsIn(at),
    })
    const rules = await client.call('setThresholds', { body })
    const found = rules.find((rule) => rule.scope === scope && rule.name === (name ?? null))
    const who = name === undefined ? `all of the scope ${scope}` : `${scope} ${name}`
    const what = found === undefined ? 'those of its scope' : percents(found.thresholds)
    return view(rules, `The thresholds of ${printable(who)} are ${what} now.`)
  },
})

const webhooks = listVerb({
  name: 'webhook list',
  summary: 'lists the webhooks and what is on its way to them',
  action: 'listWebhooks',
  columns: {
    NAME: (webhook) => webhook.name,
    URL: (webhook) => webhook.url,
    NETWORK: (webhook) => webhook.network,
    WAITING: (webhook) => webhook.waiting,
    'NEXT ATTEMPT': (webhook) => time(webhook.next_attempt_at),
    'LAST MESSAGE': lastText,
  },
  whenEmpty: 'There are no webhooks yet.',
})

const add = plainVerb({
  name: 'webhook add',
  usage: '--url URL [--network public|local]',
  summary: 'adds a webhook and prints its secret, once only',
  operand: 'NAME',
  flags: { url: text, network: text },
  action: 'addWebhook',
  says: (webhook) =>
    [
      `Webhook ${printable(webhook.name)} is added. Messages are signed with this secret, which is shown only this once:`,
      '',
      `  ${printable(webhook.secret)}`,
    ].join('\n'),
})

const remove = plainVerb({
  name: 'webhook remove',
  summary: 'removes a webhook, with what was on its way to it',
  operand: 'NAME',
  action: 'removeWebhook',
  says: (_, name) => `Webhook ${printable(name)} is removed.`,
})

const test = plainVerb({
  name: 'webhook test',
  summary: 'sends a test message to a webhook',
  operand: 'NAME',
  action: 'testWebhook',
  says: ({ problem }) => (problem === null ? 'The test message was taken.' : `It was not taken. ${printable(problem)}`),
})

const mailboxes = listVerb({
  name: 'mailbox list',
  summary: 'lists the mailboxes that alerts are sent to, and what is on its way to them',
  action: 'listMailboxes',
  columns: {
    NAME: (mailbox) => mailbox.name,
    TO: (mailbox) => mailbox.to,
    SERVER: (mailbox) => mailbox.url,
    USER: (mailbox) => mailbox.user,
    WAITING: (mailbox) => mailbox.waiting,
    'NEXT ATTEMPT': (mailbox) => time(mailbox.next_attempt_at),
    'LAST LETTER': lastText,
  },
  whenEmpty: 'There are no mailboxes yet.',
})

const addMailbox = verb({
  name: 'mailbox add',
  usage:
    'NAME --url URL --from A --to B [--user U --password-env VAR | --password-file PATH | --password-stdin] [--network public|local] [--plain]',
  summary: 'adds a mailbox that is sent every alert by SMTP',
  operand: 'NAME',
  flags: {
    url: text,
    from: text,
    to: text,
    user: text,
    password_env: text,
    password_file: text,
    password_stdin: toggle,
    network: text,
    plain: toggle,
  },
  async run(client, { name, flags, sources }) {
    const { password_env: env, password_file: file, password_stdin: isStdin, ...rest } = flags
    const password = await secretFromOne({ env, file, isStdin, what: 'password' }, sources)
    const body = requestBody('addMailbox', { name, ...rest, ...(password === undefined ? {} : { password }) })
    const mailbox = await client.call('addMailbox', { body })
    return view(mailbox, `Alerts are sent to ${printable(mailbox.to)} from now on.`)
  },
})

const removeMailbox = plainVerb({
  name: 'mailbox remove',
  summary: 'removes a mailbox, with what was on its way to it',
  operand: 'NAME',
  action: 'removeMailbox',
  says: (_, name) => `Mailbox ${printable(name)} is removed.`,
})

const testMailbox = plainVerb({
  name: 'mailbox test',
  summary: 'sends a test letter to a mailbox',
  operand: 'NAME',
  action: 'testMailbox',
  says: ({ problem }) => (problem === null ? 'The server took the letter.' : `It was not taken. ${printable(problem)}`),
})

const MAILBOX_VERBS = [mailboxes, addMailbox, removeMailbox, testMailbox]

export const ALERT_VERBS = [list, thresholds, set, webhooks, add, remove, test, ...MAILBOX_VERBS]

function percents(list: readonly number[]): string {
  return list.length === 0 ? 'none' : list.map((percent) => `${percent} %`).join(', ')
}

/** `default`: what holds where nobody said otherwise. */
function thresholdsIn(at: string | undefined): number[] | null {
  if (at === undefined) throw new UsageError('--at is required: percents with commas between them, none or default.')
  if (at === 'default') return null
  if (at === 'none') return []
  return at.split(',').map((part) => {
    const percent = Number(part.trim().replace(/ ?%$/, ''))
    if (!Number.isInteger(percent) || part.trim() === '')
      throw new UsageError('--at takes whole percents with commas between them.')
    return percent
  })
}

function lastText({ last }: Pick<WebhookView, 'last'>): string | null {
  if (last === null) return null
  return [last.state, last.problem].filter(Boolean).join(': ')
}
