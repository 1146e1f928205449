// Mailboxes are receivers of alerts beside webhooks, and stand in the same table: what is on its way to them is one list.

export const mailboxes = {
  version: 250,
  // A JSON object: from, to, user, isPlain. NULL: a webhook.
  sql: 'ALTER TABLE webhook ADD COLUMN mail TEXT;',
} as const
