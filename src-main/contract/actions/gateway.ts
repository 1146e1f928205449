// The gateway as a whole.

import { actionsOf, forAdministrators, forThisMachine } from '#contract/actions/action.ts'

export const GATEWAY = actionsOf('Administration', {
  listAudit: forAdministrators('GET /api/audit', 'Lists what administrators and members did, latest first.', {
    query: 'AuditQuery',
    response: 'AuditList',
  }),
  showSettings: forAdministrators(
    'GET /api/settings',
    'Shows what the gateway runs with and where each setting comes from.',
    { response: 'SettingsView' },
  ),
  setSetting: forAdministrators(
    'PUT /api/settings/{id}',
    'Changes a setting from now on and for later starts, or sets it back.',
    { body: 'SettingSet', response: 'SettingsView', example: { value: '20000' } },
  ),
  status: forAdministrators('GET /api/status', 'Says how the gateway is.', { response: 'StatusView' }),
  pause: forAdministrators('POST /api/pause', 'Refuses new calls for a while. Running ones end as they would.', {
    body: 'PauseBody',
    response: 'PauseView',
    example: { minutes: 60 },
  }),
  resume: forAdministrators('DELETE /api/pause', 'Ends a pause.', { response: 'PauseView' }),
  apply: forAdministrators('POST /api/apply', 'Brings the gateway to what a farebox.yaml says.', {
    body: 'ApplyBody',
    response: 'ApplyResult',
    example: { document: { packages: [{ name: 'team', type: 'monthly', credits: 50 }] }, dry_run: true },
  }),
  addDemo: forAdministrators(
    'POST /api/demo',
    'Sets up what is missing of the demo, and a first key where there is none.',
    { response: 'DemoView' },
  ),
  backUp: forThisMachine('POST /api/backup', 'Writes a backup of the database to a file of this machine.', {
    body: 'BackupCreate',
    response: 'BackupView',
    example: { file: '/backups/monday.db' },
  }),
})
