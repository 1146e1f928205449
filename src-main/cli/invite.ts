// farebox member invite, invites, withdraw. The link that an invite prints is the only place where its code is ever shown.

import { openPackages } from '#cli/member.ts'
import { facts, printable, table, time, view } from '#cli/output.ts'
import { requestBody } from '#cli/request.ts'
import { verb } from '#cli/verb.ts'
import type { InviteCard } from '#contract/invites.ts'

const invite = verb({
  name: 'member invite',
  usage: 'NAME [--packages a,b|all|none]',
  summary: 'prints a link, good once within a day, with which a member chooses a password',
  operand: 'NAME',
  flags: { packages: openPackages },
  async run(client, { name, flags, sources: { columns } }) {
    const { packages } = flags
    const card = await client.call('createInvite', { body: requestBody('createInvite', { name, packages }) })
    return view(card, await cardText(card, columns))
  },
})

const list = verb({
  name: 'member invites',
  usage: '',
  summary: 'lists the invites that are open',
  flags: {},
  async run(client) {
    const invites = await client.call('listInvites', {})
    const rows = invites.map(({ member, created_at, expires_at }) => [member, time(created_at), time(expires_at)])
    return view(invites, table(['MEMBER', 'INVITED', 'UNTIL'], rows, 'No invite is open.'))
  },
})

const withdraw = verb({
  name: 'member withdraw',
  usage: 'NAME',
  summary: 'ends the open invite of a member',
  operand: 'NAME',
  flags: {},
  async run(client, { name }) {
    return view(await client.call('withdrawInvite', { id: name }), `The invite of ${printable(name)} is withdrawn.`)
  },
})

export const INVITE_VERBS = [invite, list, withdraw]

async function cardText(card: InviteCard, columns: number | undefined): Promise<string> {
  const code = columns === undefined ? undefined : (await import('#cli/qr.ts')).qrText(card.link, columns)
  const known = { member: card.member, link: card.link, 'good until': time(card.expires_at) }
  const lines = [
    ...(code === undefined ? [] : [code]),
    facts(card.fingerprint === null ? known : { ...known, 'SHA-256': card.fingerprint }),
    card.fingerprint === null
      ? 'The LAN is off, so the link works on this machine only.'
      : 'Hand over the fingerprint too: with it they can tell whether the certificate they see is the right one.',
    'The link is good once, for whoever opens it first. It cannot be shown again.',
  ]
  return lines.join('\n')
}
