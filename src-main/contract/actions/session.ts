// Sessions: signing in and out, and the password of whoever does.

import { actionsOf, forAnyone, forHolders, forMembers, forThisMachine } from '#contract/actions/action.ts'

export const SESSION = actionsOf('Session', {
  signIn: forAnyone('POST /api/session', 'Signs in, with a ticket, with a name and a password, or with a key alone.', {
    body: 'SignIn',
    response: 'SignedIn',
    example: { name: 'ada', password: 'correct horse battery' },
  }),
  showSession: forHolders('GET /api/session', 'Shows who is signed in and until when.', {
    response: 'SessionView',
    refusals: [404],
  }),
  signOut: forHolders('DELETE /api/session', 'Ends this session, or all of this person.', { query: 'SignOutQuery' }),
  changePassword: forMembers('PUT /api/session/password', "Changes one's own password.", {
    body: 'OwnPassword',
    example: { password: 'a new one of ten or more', old_password: 'correct horse battery' },
  }),
  makeTicket: forThisMachine('POST /api/tickets', 'Makes a ticket that is good for one sign-in within a minute.', {
    response: 'TicketView',
  }),
})
