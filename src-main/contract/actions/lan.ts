// The LAN.

import { actionsOf, forAdministrators, forHolders, forThisMachine } from '#contract/actions/action.ts'

export const LAN = actionsOf('Administration', {
  showLan: forAdministrators('GET /api/lan', 'Says whether other machines can reach the gateway, and how.', {
    response: 'LanView',
  }),
  setLan: forThisMachine(
    'PUT /api/lan',
    'Opens the gateway to the LAN over TLS, or changes how; what is not said stays as it was.',
    {
      body: 'LanChange',
      response: 'LanView',
      example: { interface: 'eth0', port: 3273, names: ['farebox.office.example'] },
    },
  ),
  turnLanOff: forThisMachine('DELETE /api/lan', 'Closes the gateway to the LAN.', { response: 'LanView' }),
  showLanCertificate: forHolders(
    'GET /api/lan/certificate',
    'Shows the certificate that machines on the LAN have to trust.',
    { response: 'LanCertificate', refusals: [404] },
  ),
})
