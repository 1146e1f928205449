// What somebody who was invited does on their own machine. Each run is one step and prints one line of JSON.
//
// `pin` looks at the certificate that is shown at the address of the card, compares its fingerprint with the card's and writes it to a
// file. `join` trusts that file by NODE_EXTRA_CA_CERTS alone: accepts the invite, makes a key, and calls a model with an SDK as it is.
// `accept` only tries the code.

import { request } from 'node:https'
import { checkServerIdentity, connect } from 'node:tls'
import { writeFileSync } from 'node:fs'
import OpenAI from 'openai'

const { STEP: step, LINK: link, FINGERPRINT: fingerprint, FILE: file, PASSWORD: password } = process.env
const { origin: url, hash: fragment, hostname, port } = new URL(link)
const code = fragment.replace('#invite=', '')

const STEPS = {
  pin,
  join,
  accept: async () => ({ status: (await send('POST', '/api/invites/accept', { code, password })).status }),
}

try {
  console.log(JSON.stringify(await STEPS[step]()))
} catch (error) {
  const cause = error.cause?.cause ?? error.cause ?? error
  console.log(JSON.stringify({ error: error.message, code: cause.code }))
}

/** Nothing is trusted yet, and nothing is sent. */
async function pin() {
  const shown = await new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate())
      socket.destroy()
    })
    socket.on('error', reject)
  })
  const isSame = shown.fingerprint256 === fingerprint
  if (isSame) writeFileSync(file, shown.toString())
  return { isSame }
}

async function join() {
  const accepted = await send('POST', '/api/invites/accept', { code, password })
  if (!accepted.ok) throw new Error(`${accepted.status} ${await accepted.text()}`)
  const cookie = accepted.headers.get('set-cookie').split(';')[0]
  const { token, session: me } = await accepted.json()
  const session = { cookie, 'x-farebox-session': token }
  const [{ name: packageName }] = await (await send('GET', '/api/packages', undefined, session)).json()
  const made = await send('POST', '/api/keys', { name: `${me.name} laptop`, package: packageName }, session)
  const { key, id } = await made.json()
  const { certificate, source } = await (await send('GET', '/api/lan/certificate', undefined, session)).json()
  const answered = await call(key)
  const balance = await (await send('GET', '/v1/balance', undefined, { authorization: `Bearer ${key}` }, false)).json()
  return { me, id, packageName, certificate, source, balance, ...answered, refused: await refusals(session) }
}

async function call(key) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })
  const stream = await client.chat.completions.create({
    model: 'demo-chat',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: 'Hello from another machine' }],
  })
  const seen = { text: '', pieces: 0, usage: undefined }
  for await (const chunk of stream) {
    seen.text += chunk.choices[0]?.delta.content ?? ''
    seen.pieces += 1
    seen.usage = chunk.usage ?? seen.usage
  }
  return seen
}

/** What is not for this member, as statuses, or as the error where there is no answer. */
async function refusals(session) {
  const status = async (method, path, body, more = session) => (await send(method, path, body, more)).status
  return {
    usedCode: await status('POST', '/api/invites/accept', { code, password }, {}),
    invite: await status('POST', '/api/invites', { name: 'friend' }),
    invites: await status('GET', '/api/invites'),
    withdraw: await status('DELETE', '/api/invites/tom'),
    members: await status('GET', '/api/members'),
    providers: await status('GET', '/api/providers'),
    lan: await status('PUT', '/api/lan', {}),
    anothersKey: await status('GET', `/api/keys/${process.env.ANOTHERS_KEY}`),
    revokeAnothers: await status('POST', `/api/keys/${process.env.ANOTHERS_KEY}/revoke`),
    anothersReceipt: await status('GET', `/api/usage/${process.env.ANOTHERS_CALL}`),
    foreignHost: await foreignHost(),
    plainHttp: await fetch(`${url.replace('https:', 'http:')}/health`).then(
      (answer) => answer.status,
      (error) => String(error.cause?.code ?? error.message),
    ),
  }
}

/** What a page elsewhere would have a browser send, whose host name leads to this address. */
function foreignHost() {
  const options = {
    headers: { host: 'evil.example' },
    // By the address that is asked, not by the Host header.
    checkServerIdentity: (_name, certificate) => checkServerIdentity(hostname, certificate),
  }
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/api/packages`, options, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    asked.on('error', reject)
    asked.end()
  })
}

function send(method, path, body, more = {}, isFromPage = true) {
  return fetch(url + path, {
    method,
    headers: {
      ...(isFromPage ? { origin: url } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}
