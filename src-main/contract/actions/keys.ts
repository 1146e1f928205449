// Keys.

import { actionsOf, forAdministrators, forHolders, forMembers } from '#contract/actions/action.ts'

export const KEYS = actionsOf('Keys', {
  listKeys: forHolders('GET /api/keys', 'Lists the keys with their balances.', { response: 'KeyView[]' }),
  createKey: forMembers('POST /api/keys', 'Makes a key. Its value is in this answer and never again.', {
    body: 'KeyCreate',
    response: 'KeyCreated',
    example: { name: 'laptop', package: 'team', expires: '90d' },
  }),
  showKey: forHolders('GET /api/keys/{id}', 'Shows a key with its balance.', { response: 'KeyView' }),
  editKey: forAdministrators('PATCH /api/keys/{id}', 'Says what the calls of a key are counted to.', {
    body: 'KeyEdit',
    response: 'KeyView',
    example: { project: 'website', tags: ['night'] },
  }),
  suspendKey: forMembers('POST /api/keys/{id}/suspend', 'Stops a key until it is resumed.', { response: 'KeyView' }),
  resumeKey: forMembers('POST /api/keys/{id}/resume', 'Lets a suspended key be used again.', { response: 'KeyView' }),
  extendKey: forAdministrators('POST /api/keys/{id}/extend', 'Moves the day on which a key expires.', {
    body: 'KeyExtend',
    response: 'KeyView',
    example: { expires: '90d' },
  }),
  topUpKey: forAdministrators('POST /api/keys/{id}/top-up', 'Adds credits to a key.', {
    body: 'KeyTopUp',
    response: 'KeyView',
    example: { credits: 25, reason: 'March', idempotency_id: 'invoice-17' },
  }),
  adjustKey: forAdministrators('POST /api/keys/{id}/adjust', 'Corrects the credits of a key.', {
    body: 'KeyAdjust',
    response: 'KeyView',
    example: { credits: -2.5, reason: 'Counted twice on 3 March' },
  }),
  moveKey: forAdministrators('POST /api/keys/{id}/move', 'Gives a key another package.', {
    body: 'KeyMove',
    response: 'KeyView',
    example: { package: 'big-team' },
  }),
  rotateKey: forMembers(
    'POST /api/keys/{id}/rotate',
    'Gives a key a new value. The old one works beside it for a while.',
    { body: 'KeyRotate', response: 'KeyRotated', example: { overlap: '24h' } },
  ),
  revokeKey: forHolders('POST /api/keys/{id}/revoke', 'Ends a key for good.', { response: 'KeyView' }),
})
