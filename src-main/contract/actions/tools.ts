// Tools of this machine that are to use Farebox. They are edited as the user whose Farebox this is, so that nobody asks from afar.

import { actionsOf, forMembers, forThisMachine } from '#contract/actions/action.ts'

export const TOOLS = actionsOf('Tools', {
  listTools: forThisMachine('GET /api/tools', 'Lists the tools of this machine, and how each is connected.', {
    response: 'ToolView[]',
  }),
  connectTool: forThisMachine(
    'POST /api/tools/{id}/connect',
    'Shows what connecting a tool writes into its settings, or writes what was shown, and gives the tool a key of its own.',
    { body: 'ToolConnect', response: 'ToolConnection', example: { package: 'team', dry_run: true } },
  ),
  disconnectTool: forThisMachine(
    'POST /api/tools/{id}/disconnect',
    "Takes back exactly what was written into a tool's settings, or shows what that would be.",
    { body: 'ToolDisconnect', response: 'ToolDisconnection', example: { dry_run: true } },
  ),
  scanTools: forThisMachine(
    'GET /api/tools/scan',
    'Says what tools used by their own logs on this machine, and what it would have cost at the price card. Nothing of it is kept.',
    { query: 'ToolScanQuery', response: 'ToolScan', refusals: [404, 409, 503] },
  ),
  stopScan: forThisMachine('DELETE /api/tools/scan', 'Stops such a scan, whose request is refused then.'),
  toolGuides: forMembers('GET /api/tools/guides', 'Says how tools of another machine are set up by hand.', {
    query: 'ToolGuideQuery',
    response: 'ToolGuide[]',
    refusals: [404],
  }),
})
