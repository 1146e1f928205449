// farebox lan …: whether other machines reach the gateway, and how.

import { UsageError } from '#cli/errors.ts'
import { number, text, textOrNone, toggle, type Flag } from '#cli/flags.ts'
import { facts, printable, time, view } from '#cli/output.ts'
import { plainVerb } from '#cli/plain-verbs.ts'
import { requestBody } from '#cli/request.ts'
import { verb } from '#cli/verb.ts'
import type { LanView } from '#contract/lan.ts'

const onOrOff: Flag<boolean> = {
  type: 'string',
  read: ([only = ''], name) => {
    if (only !== 'on' && only !== 'off') throw new UsageError(`${name} takes on or off.`)
    return only === 'on'
  },
}

/** May be given several times; `none` takes all of them away. */
const hostNames: Flag<string[]> = {
  type: 'string',
  isRepeatable: true,
  read: (texts) => (texts.length === 1 && texts[0] === 'none' ? [] : [...texts]),
}

const on = verb({
  name: 'lan on',
  usage:
    '[--interface NAME | --address ADDRESS] [--port N] [--name HOST]... ' +
    '[--administration on|off] [--certificate-file PATH --key-file PATH] [--new-certificate]',
  summary: 'lets other machines reach the gateway over TLS; what is not named stays',
  flags: {
    interface: text,
    address: text,
    port: number,
    name: hostNames,
    administration: onOrOff,
    // `none` goes back to the certificate that Farebox makes.
    certificate_file: textOrNone,
    key_file: textOrNone,
    new_certificate: toggle,
  },
  async run(client, { flags: { name: names, ...flags } }) {
    const body = requestBody('setLan', { ...flags, ...(names === undefined ? {} : { names }) })
    const answer = await client.call('setLan', { body })
    return view(answer, lanText(answer))
  },
})

const off = plainVerb({
  name: 'lan off',
  summary: 'closes the gateway to other machines',
  action: 'turnLanOff',
  says: lanText,
})

const status = plainVerb({
  name: 'lan status',
  summary: 'says whether other machines reach the gateway, where, and with which certificate',
  action: 'showLan',
  says: lanText,
})

const certificate = plainVerb({
  name: 'lan certificate',
  summary: 'prints the certificate that other machines have to trust, in PEM',
  action: 'showLanCertificate',
  says: (answer) => answer.certificate.trimEnd(),
})

export const LAN_VERBS = [on, off, status, certificate]

const STATES: Readonly<Record<LanView['state'], string>> = {
  off: 'off, only this machine reaches the gateway',
  on: 'on',
  failed: 'not on, although it is set so',
  waiting: 'on as soon as a gateway runs',
}

function lanText(answer: LanView): string {
  const { certificate: shownCertificate, settings } = answer
  const lines = facts({
    LAN: STATES[answer.state],
    ...Object.fromEntries(answer.urls.map((url, index) => [index === 0 ? 'address' : `address ${index + 1}`, url])),
    ...(settings === null || answer.state === 'off' ? {} : { administration: settings.administration ? 'on' : 'off' }),
    ...(shownCertificate === null
      ? {}
      : {
          'SHA-256': shownCertificate.fingerprint,
          'certificate for': shownCertificate.names.join(', '),
          'certificate until': time(shownCertificate.expires_at),
        }),
  })
  const notes = [
    ...(answer.problem === null ? [] : [printable(answer.problem)]),
    ...(answer.is_public && answer.state === 'on'
      ? ['This is an address of the internet: strangers reach it too unless a firewall keeps them out.']
      : []),
    ...(answer.state === 'off' ? [choices(answer)] : []),
  ]
  return [lines, ...notes].join('\n')
}

/** The networks to choose from when turning it on. */
function choices({ interfaces }: LanView): string {
  if (interfaces.length === 0) return 'This machine has no network on which others could reach it.'
  // An interface stands for the first of its addresses.
  const listed = interfaces.map(({ name, address }, index) =>
    interfaces.findIndex((other) => other.name === name) === index
      ? `  --interface ${printable(name)}  (${address})`
      : `  --address ${address}  (${printable(name)} too)`,
  )
  return ['Turn it on with farebox lan on and one of:', ...listed].join('\n')
}
