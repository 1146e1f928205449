// The client of large conversations, a thread of its own. It is told a conversation by its name, and says what was wrong with the answer.
import { parentPort, workerData } from 'node:worker_threads'
import { request } from 'undici'
import { CONVERSATIONS, type Sending } from './large-conversations.ts'

const { url, key } = workerData as Sending
const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
const bodies = new Map(
  CONVERSATIONS.map(({ name, path, members }) => [name, { path, body: Buffer.from(JSON.stringify(members())) }]),
)

parentPort?.on('message', (name: string) => {
  void send(name).then(
    (problem) => parentPort?.postMessage(problem),
    (error: unknown) => parentPort?.postMessage(String(error)),
  )
})

async function send(name: string): Promise<string> {
  const known = bodies.get(name)
  if (known === undefined) return 'there is no such conversation'
  const { statusCode, body } = await request(`${url}${known.path}`, { method: 'POST', headers, body: known.body })
  const text = await body.text()
  return statusCode === 200 ? '' : `status ${statusCode}: ${text.slice(0, 300)}`
}
