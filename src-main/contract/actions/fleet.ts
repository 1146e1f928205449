// Several gateways with one set of books.

import { actionsOf, forAdministrators } from '#contract/actions/action.ts'

export const FLEET = actionsOf('Fleet', {
  showFleet: forAdministrators('GET /api/fleet', 'Lists the gateways that share their books, and how they are.', {
    response: 'FleetView',
  }),
  settleGateway: forAdministrators(
    'POST /api/fleet/{id}/settle',
    'Says that a gateway is lost for good, and what becomes of what it left in doubt. It cannot come back.',
    { body: 'FleetSettle', response: 'FleetSettled', example: { as: 'charged' } },
  ),
})
