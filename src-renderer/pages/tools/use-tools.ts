import { useMemo, useState } from 'react'
import { useEvents } from '#renderer/api/events.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { usageIn } from '#renderer/data/live.ts'
import { orderedTools, withRequests, type LastRequests } from '#renderer/data/tool-list.ts'

/** Tools are connected by the command line too, and what could not be read once is read again. */
const EVERY_MS = 15_000

/** The tools, and their requests as they come. */
export function useTools() {
  const list = useApi('listTools', {}, { everyMs: EVERY_MS })
  const [requests, setRequests] = useState<LastRequests>({})
  useEvents((event) => {
    const usage = usageIn(event)
    if (usage === undefined || list.data?.some(({ key_name: name }) => name === usage.key) !== true) return
    setRequests((before) => ({ ...before, [usage.key]: usage.created_at }))
  })
  const tools = useMemo(
    () => (list.data === undefined ? undefined : orderedTools(withRequests(list.data, requests))),
    [list.data, requests],
  )
  return { list, tools }
}
