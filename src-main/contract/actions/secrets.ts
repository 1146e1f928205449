// Secrets on their way between stores and files.

import { actionsOf, forThisMachine } from '#contract/actions/action.ts'

export const SECRETS = actionsOf('Administration', {
  exportSecrets: forThisMachine(
    'POST /api/secrets/export',
    'Writes the secrets of providers to a file, encrypted with a passphrase.',
    {
      body: 'SecretsExport',
      response: 'SecretsExported',
      example: { file: '/backups/monday.db.secrets', passphrase: 'four words or more of yours' },
    },
  ),
  importSecrets: forThisMachine('POST /api/secrets/import', 'Gives providers the secrets of such a file.', {
    body: 'SecretsImport',
    response: 'SecretsImported',
    example: { file: '/backups/monday.db.secrets', passphrase: 'four words or more of yours' },
  }),
  moveSecrets: forThisMachine(
    'POST /api/secrets/move',
    'Brings the secrets of providers from the other store into the one in use.',
    { response: 'SecretsMoved' },
  ),
  resealSecrets: forThisMachine(
    'POST /api/secrets/reseal',
    'Seals the secrets in the shared database with the present key, where they were sealed with the one before it.',
    { response: 'SecretsResealed' },
  ),
})
