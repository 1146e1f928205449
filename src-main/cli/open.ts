// farebox open: shows the dashboard, signed in.

import { toggle } from '#cli/flags.ts'
import { view, type Output } from '#cli/output.ts'
import { verb } from '#cli/verb.ts'
import { CommandFailure } from '#cli/errors.ts'

const STOPPED: Output = {
  type: 'view',
  value: { state: 'stopped' },
  text: "No gateway runs on this data folder. Start one with 'farebox start'.",
  exitCode: 1,
}

const open = verb({
  name: 'open',
  usage: '[--print]',
  summary: 'opens the dashboard in the browser, signed in as the owner of this machine',
  flags: { print: toggle },
  whenStopped: STOPPED,
  async run(client, { flags, sources }) {
    const { url } = await client.call('status', {})
    if (url === null) throw new CommandFailure('not_listening', 'The gateway does not listen yet. Try again.')
    const { ticket, expires_at: expiresAt } = await client.call('makeTicket', {})
    const page = `${url}/#ticket=${ticket}`
    const told = { url: page, expires_at: expiresAt }
    if (flags.print === true) return view(told, page)
    if (await sources.openInBrowser(page)) return view({ url: `${url}/` }, `The dashboard is opened: ${url}/`)
    return view(told, `No browser could be started. This address is good once, within a minute:\n${page}`)
  },
})

export const OPEN_VERBS = [open]
