// Writes the icons anew after a drawing has changed: `npm run icons`.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { drawIcons, ICONS_DIR } from './draw.ts'

for (const [name, bytes] of drawIcons()) {
  const path = join(ICONS_DIR, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
}
