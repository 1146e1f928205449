// farebox pause and resume: whether the gateway takes new calls.

import { number } from '#cli/flags.ts'
import { time, view } from '#cli/output.ts'
import { verb } from '#cli/verb.ts'

/** A pause lives in the gateway that runs, so there is nothing to pause without one. */
const STOPPED = view({ state: 'stopped' }, 'stopped')

const pause = verb({
  name: 'pause',
  usage: '[--minutes N]',
  summary: 'refuses new calls for an hour, or as long as told',
  flags: { minutes: number },
  whenStopped: STOPPED,
  async run(client, { flags }) {
    const answer = await client.call('pause', { body: flags })
    return view(answer, `paused until ${time(answer.paused_until)}`)
  },
})

const resume = verb({
  name: 'resume',
  usage: '',
  summary: 'takes new calls again',
  flags: {},
  whenStopped: STOPPED,
  async run(client) {
    return view(await client.call('resume', {}), 'takes calls')
  },
})

export const PAUSE_VERBS = [pause, resume]
