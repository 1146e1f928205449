// How long a recording is at least, by the times in the subtitles that were made of it: SubRip's `00:01:02,500 --> 00:01:05,000`, and
// WebVTT's, which may leave the hours out and write a point.

const LAST_TIME = /-->[ \t]*(?:(\d{2,3}):)?([0-5]\d):([0-5]\d)[.,](\d{3})/g
/** Longer than a line of times, so that none is torn. */
const CARRIED = 64

export class SubtitleTimes {
  #tail = ''
  #endMs = 0

  push(text: string): void {
    const all = this.#tail + text
    for (const [, hours = '0', minutes, seconds, millis] of all.matchAll(LAST_TIME)) {
      const endMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(millis)
      this.#endMs = Math.max(this.#endMs, endMs)
    }
    this.#tail = all.slice(-CARRIED)
  }

  /** When the last of them ends, in whole seconds; undefined where none has a time. */
  get seconds(): number | undefined {
    return this.#endMs === 0 ? undefined : Math.ceil(this.#endMs / 1000)
  }
}
