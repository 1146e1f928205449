// Alerts, and who is told of them.

import { actionsOf, forAdministrators, forMembers } from '#contract/actions/action.ts'

export const ALERTS = actionsOf('Alerts', {
  listAlerts: forMembers('GET /api/alerts', 'Lists the thresholds that budgets reached, the latest first.', {
    response: 'AlertView[]',
  }),
  listThresholds: forAdministrators('GET /api/alerts/thresholds', 'Lists the thresholds that hold.', {
    response: 'ThresholdsView[]',
  }),
  setThresholds: forAdministrators(
    'PUT /api/alerts/thresholds',
    'Sets at which part of their credits somebody is told.',
    {
      body: 'ThresholdsSet',
      response: 'ThresholdsView[]',
      example: { scope: 'package', name: 'team', thresholds: [80, 100] },
      refusals: [404],
    },
  ),
  listWebhooks: forAdministrators('GET /api/webhooks', 'Lists the webhooks and what is on its way to them.', {
    response: 'WebhookView[]',
  }),
  addWebhook: forAdministrators(
    'POST /api/webhooks',
    'Adds a webhook. The secret that messages are signed with is in this answer and never again.',
    {
      body: 'WebhookCreate',
      response: 'WebhookCreated',
      example: { name: 'ops', url: 'https://alerts.example.com/farebox' },
      refusals: [409, 503],
    },
  ),
  removeWebhook: forAdministrators('DELETE /api/webhooks/{id}', 'Removes a webhook, with what was on its way to it.', {
    refusals: [404, 503],
  }),
  testWebhook: forAdministrators('POST /api/webhooks/{id}/test', 'Sends a message of the type `test` at once.', {
    response: 'WebhookTested',
    refusals: [404],
  }),
  listMailboxes: forAdministrators('GET /api/mailboxes', 'Lists the mailboxes and what is on its way to them.', {
    response: 'MailboxView[]',
  }),
  addMailbox: forAdministrators('POST /api/mailboxes', 'Adds a mailbox that is sent every alert by SMTP.', {
    body: 'MailboxCreate',
    response: 'MailboxView',
    example: {
      name: 'team',
      url: 'smtps://mail.example.com',
      from: 'farebox@example.com',
      to: 'team@example.com',
      user: 'farebox',
      password: 'four words or more',
    },
    refusals: [409, 503],
  }),
  removeMailbox: forAdministrators('DELETE /api/mailboxes/{id}', 'Removes a mailbox, with what was on its way to it.', {
    refusals: [404, 503],
  }),
  testMailbox: forAdministrators('POST /api/mailboxes/{id}/test', 'Sends a test letter at once.', {
    response: 'WebhookTested',
    refusals: [404],
  }),
})
