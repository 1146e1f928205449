// Invites.

import { actionsOf, forAdministrators, forAnyone } from '#contract/actions/action.ts'

export const INVITES = actionsOf('Members', {
  listInvites: forAdministrators('GET /api/invites', 'Lists the open invites, without their codes.', {
    response: 'InviteView[]',
  }),
  createInvite: forAdministrators(
    'POST /api/invites',
    'Invites a member: the answer has a link that is good once, for a day.',
    { body: 'InviteCreate', response: 'InviteCard', example: { name: 'ada', packages: ['team'] } },
  ),
  withdrawInvite: forAdministrators('DELETE /api/invites/{id}', 'Ends the open invite of a member.'),
  acceptInvite: forAnyone('POST /api/invites/accept', 'Sets the password of an invited member and signs them in.', {
    body: 'InviteAccept',
    response: 'SignedIn',
    example: { code: 'the part of the link behind #invite=', password: 'correct horse battery' },
  }),
})
