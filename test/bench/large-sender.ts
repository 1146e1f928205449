// The client of large conversations, a process of its own. It is told a conversation by its name, and says what was wrong with the answer.
import { request } from 'undici'
import { CONVERSATIONS } from './large-conversations.ts'

const [url = '', key = ''] = process.argv.slice(2)
const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
const bodies = new Map(
  CONVERSATIONS.map(({ name, path, members }) => [name, { path, body: Buffer.from(JSON.stringify(members())) }]),
)

process.on('message', (name) => {
  void send(String(name)).then(
    (problem) => process.send?.(problem),
    (error: unknown) => process.send?.(String(error)),
  )
})

async function send(name: string): Promise<string> {
  const known = bodies.get(name)
  if (known === undefined) return 'there is no such conversation'
  const { statusCode, body } = await request(`${url}${known.path}`, { method: 'POST', headers, body: known.body })
  const text = await body.text()
  return statusCode === 200 ? '' : `status ${statusCode}: ${text.slice(0, 300)}`
}
