// What a member does on their own machine: signs in over the LAN, makes a key, and calls a model with an SDK as it is. Prints one line of
// JSON. The certificate is trusted by NODE_EXTRA_CA_CERTS alone.

import OpenAI from 'openai'

const { FAREBOX_URL: url, NAME: name, PASSWORD: password } = process.env
const headers = { origin: url, 'content-type': 'application/json' }

async function post(path, body, more = {}) {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { ...headers, ...more },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} ${answer.status} ${await answer.text()}`)
  return answer
}

async function statusOf(path, more) {
  return (await fetch(url + path, { headers: { origin: url, ...more } })).status
}

try {
  const signedIn = await post('/api/session', { name, password })
  const cookie = signedIn.headers.get('set-cookie').split(';')[0]
  const session = { cookie, 'x-farebox-session': (await signedIn.json()).token }
  const { key, id } = await (await post('/api/keys', { name: `${name} laptop`, package: 'team' }, session)).json()
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })
  const stream = await client.chat.completions.create({
    model: 'demo-chat',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: 'Hello from another machine' }],
  })
  let text = ''
  let pieces = 0
  let usage
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? ''
    pieces += 1
    usage = chunk.usage ?? usage
  }
  const balance = await (await fetch(`${url}/v1/balance`, { headers: { authorization: `Bearer ${key}` } })).json()
  const refused = {
    members: await statusOf('/api/members', session),
    providers: await statusOf('/api/providers', session),
    lan: await statusOf('/api/lan', session),
    anothersKey: await statusOf(`/api/keys/${process.env.ANOTHERS_KEY}`, session),
    ownerToken: await statusOf('/api/status', { authorization: `Bearer ${process.env.OWNER_TOKEN}` }),
  }
  console.log(JSON.stringify({ text, pieces, usage, balance, id, refused }))
} catch (error) {
  const cause = error.cause?.cause ?? error.cause ?? error
  console.log(JSON.stringify({ error: error.message, code: cause.code }))
}
