// farebox member invite, invites, withdraw. The link that an invite prints is the only place where its code is ever shown.

import { openPackages } from '#cli/member.ts'
import { facts, printable, time, view } from '#cli/output.ts'
import { listVerb, plainVerb } from '#cli/plain-verbs.ts'
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

const list = listVerb({
  name: 'member invites',
  summary: 'lists the invites that are open',
  action: 'listInvites',
  columns: {
    MEMBER: (invite) => invite.member,
    INVITED: (invite) => time(invite.created_at),
    UNTIL: (invite) => time(invite.expires_at),
  },
  whenEmpty: 'No invite is open.',
})

const withdraw = plainVerb({
  name: 'member withdraw',
  summary: 'ends the open invite of a member',
  operand: 'NAME',
  action: 'withdrawInvite',
  says: (_withdrawn, name) => `The invite of ${printable(name)} is withdrawn.`,
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
