// A tool of the AI SDK that remembers for which cities it ran.

import { tool } from 'ai'
import { z } from 'zod'

export function weatherTool() {
  const cities: string[] = []
  const get_weather = tool({
    description: 'The weather of a city.',
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => {
      cities.push(city)
      return `sunny in ${city}`
    },
  })
  return { tools: { get_weather }, cities }
}
