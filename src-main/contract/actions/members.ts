// Members.

import { actionsOf, forAdministrators } from '#contract/actions/action.ts'

export const MEMBERS = actionsOf('Members', {
  listMembers: forAdministrators('GET /api/members', 'Lists the members.', { response: 'MemberView[]' }),
  addMember: forAdministrators('POST /api/members', 'Adds somebody who can sign in.', {
    body: 'MemberCreate',
    response: 'MemberView',
    example: { name: 'ada', role: 'member', packages: ['team'] },
  }),
  editMember: forAdministrators('PATCH /api/members/{id}', 'Changes what a member may do.', {
    body: 'MemberEdit',
    response: 'MemberView',
    example: { status: 'suspended' },
  }),
  setMemberPassword: forAdministrators('PUT /api/members/{id}/password', "Sets a member's password.", {
    body: 'MemberPassword',
    response: 'MemberView',
    example: { password: 'a new one of ten or more' },
  }),
  removeMember: forAdministrators('DELETE /api/members/{id}', 'Removes a member.'),
})
