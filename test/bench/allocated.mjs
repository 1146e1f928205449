// Loaded into a process whose garbage is counted: from one SIGUSR2 to the next it counts how many bytes its main thread allocated, and
// writes that into the file that ALLOCATED_FILE names. What a collection leaves is the start of what comes before the next.
import { renameSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { getHeapStatistics, GCProfiler } from 'node:v8'

let counting

if (isMainThread && process.env.ALLOCATED_FILE !== undefined) process.on('SIGUSR2', toggle)

function toggle() {
  if (counting === undefined) {
    const profiler = new GCProfiler()
    profiler.start()
    counting = { profiler, usedBytes: getHeapStatistics().used_heap_size }
    return note('counting')
  }
  const { profiler, usedBytes } = counting
  const { statistics } = profiler.stop()
  let from = usedBytes
  let allocated = 0
  for (const { beforeGC, afterGC } of statistics) {
    allocated += beforeGC.heapStatistics.usedHeapSize - from
    from = afterGC.heapStatistics.usedHeapSize
  }
  note(String(allocated + getHeapStatistics().used_heap_size - from))
  counting = undefined
}

function note(text) {
  const file = process.env.ALLOCATED_FILE
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}
