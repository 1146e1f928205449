/**
 * The one of `offered` that serves a reader best who prefers `wanted`, the dearest first: the first wish that has the same language and
 * the same script, whatever the country (`zh-CN` reads `zh-Hans`, `zh-TW` does not). Tags that are none are passed over.
 */
export function bestLanguage<Offered extends string>(
  wanted: readonly string[],
  offered: readonly Offered[],
): Offered | undefined {
  for (const tag of wanted) {
    const written = writtenIn(tag)
    const found = offered.find((language) => written !== undefined && writtenIn(language) === written)
    if (found !== undefined) return found
  }
  return undefined
}

function writtenIn(tag: string): string | undefined {
  try {
    const { language, script } = new Intl.Locale(tag).maximize()
    return `${language}-${script ?? ''}`
  } catch {
    return undefined
  }
}
